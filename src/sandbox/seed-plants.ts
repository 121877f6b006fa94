/**
 * The plants that every space begins with: real ones, the same in each, with the values that break
 * clients. Those of the examples of the description are equal to them. What is no word is not at the
 * start of a name: sorted, it would be the first that a visitor sees.
 */
import type { NewPlant } from '../domain/schemas.ts';

/** Names by tag, in the order of their ids from 10 on. */
const groups: Readonly<Record<string, string>> = {
  climber: `Golden pothos, Heartleaf philodendron, English ivy, Common hop, Wisteria, Clematis, Passion flower, Star jasmine,
    Honeysuckle, Sweet pea, Virginia creeper, Boston ivy, Climbing hydrangea, Trumpet vine, Black-eyed Susan vine, Bougainvillea`,
  fern: `Boston fern, Maidenhair fern, Bird's-nest fern, Staghorn fern, Ostrich fern, Royal fern, Lady fern, Hart's-tongue fern,
    Rabbit's-foot fern, Holly fern, Silver fern, Blue star fern, Cinnamon fern, Sword fern`,
  flower: `Dahlia, Peony, Tulip, Daffodil, Snowdrop, Lily of the valley, Foxglove, Hollyhock, Cornflower, Marigold, Zinnia, Cosmos,
    Snapdragon, Delphinium, Lupin, Columbine, Geranium, Pelargonium, Petunia, Begonia, Primrose, Pansy, Violet, Iris, Crocus,
    Hyacinth, Gladiolus, Anemone, Aster, Sunflower`,
  fruit: `Strawberry, Raspberry, Blackberry, Blueberry, Gooseberry, Redcurrant, Blackcurrant, Fig, Grape, Kiwi, Melon, Watermelon,
    Pineapple, Banana, Papaya, Passion fruit, Pomegranate, Physalis`,
  grass: `Fountain grass, Blue fescue, Feather reed grass, Pampas grass, Maiden grass, Quaking grass, Hakone grass, Switchgrass,
    Black bamboo, Golden bamboo, Lemongrass, Sweet vernal grass`,
  herb: `Basil, Thyme, Rosemary, Sage, Oregano, Marjoram, Parsley, Chervil, Coriander, Dill, Fennel, Lovage, Tarragon, Chives,
    Lemon balm, Peppermint, Spearmint, Winter savory, Summer savory, Borage, Chamomile, Lavender, Hyssop, Bay laurel`,
  indoor: `Rubber plant, Snake plant, Spider plant, Peace lily, ZZ plant, Cast-iron plant, Swiss cheese plant, Umbrella tree,
    Dragon tree, Parlour palm, Kentia palm, Prayer plant, Rattlesnake plant, Peacock plant, Chinese evergreen, Dumb cane,
    African violet, Moth orchid, Nerve plant, Baby's tears, Wax plant, String of hearts`,
  succulent: `Aloe vera, Jade plant, Echeveria, Houseleek, Stonecrop, Burro's tail, String of pearls, Panda plant, Zebra haworthia,
    Living stone, Christmas cactus, Easter cactus, Prickly pear, Saguaro, Golden barrel cactus, Old man cactus, Bunny ears cactus,
    Moon cactus, Agave, Crown of thorns`,
  tree: `English oak, Silver birch, European beech, Norway maple, Sycamore, Horse chestnut, Sweet chestnut, Small-leaved lime,
    Common ash, Wych elm, White willow, Aspen, Black poplar, Rowan, Wild cherry, Hornbeam, Hazel, Alder, Holly, Yew, Scots pine,
    Norway spruce, European larch, Silver fir, Cedar of Lebanon, Giant sequoia, Ginkgo, Magnolia, Olive, Walnut, Apple, Pear, Quince`,
  vegetable: `Tomato, Aubergine, Chilli, Bell pepper, Potato, Carrot, Parsnip, Beetroot, Radish, Turnip, Onion, Garlic, Leek, Kale,
    Cabbage, Broccoli, Cauliflower, Kohlrabi, Lettuce, Spinach, Chard, Rocket, Pea, Runner bean, Broad bean, Courgette, Pumpkin,
    Cucumber, Celery, Asparagus, Artichoke, Sweetcorn`,
};

/** Ids of every size, and texts that need care in JSON, CSV, URLs, spreadsheets and on screens. */
const special: readonly NewPlant[] = [
  { id: -9_223_372_036_854_775_808n, name: 'Welwitschia', tag: 'desert' },
  { id: -9_007_199_254_740_993n, name: 'Rafflesia arnoldii', tag: 'parasite' },
  { id: -2_147_483_649n, name: 'Titan arum', tag: 'giant' },
  { id: -1_000n, name: 'Pitcher plant', tag: 'carnivore' },
  { id: -12n, name: 'Zamioculcas' },
  { id: -1n, name: 'Dodder', tag: 'parasite' },
  { id: 0n, name: 'Duckweed', tag: 'aquatic' },
  { id: 1n, name: 'Açaí', tag: 'fruit' },
  { id: 2n, name: 'Edelweiß', tag: 'alpine' },
  { id: 3n, name: "Rosa 'Gertrude Jekyll', climbing", tag: 'climber' },
  { id: 4n, name: 'The "corpse flower"', tag: 'giant' },
  { id: 5n, name: 'Sunflower 🌻', tag: '🌻' },
  { id: 6n, name: "Job's tears;=1+1", tag: '=cmd' },
  { id: 7n, name: 'Monstera', tag: 'climber' },
  { id: 8n, name: 'Calathea' },
  { id: 9n, name: 'نخلة التمر', tag: 'palm' },
  { id: 65_536n, name: 'Mistletoe', tag: 'parasite' },
  { id: 1_000_000n, name: 'Sundew', tag: 'carnivore' },
  { id: 2_147_483_647n, name: 'תאנה', tag: 'fruit' },
  { id: 2_147_483_648n, name: '染井吉野', tag: 'tree' },
  { id: 4_294_967_295n, name: 'Venus flytrap', tag: 'carnivore' },
  { id: 4_294_967_296n, name: 'Ipomoea tricolor\n(morning glory)', tag: 'climber' },
  { id: 1_000_000_000_000n, name: 'Café, “arabica” & <b>robusta</b>', tag: 'tea, coffee' },
  { id: 9_007_199_254_740_991n, name: 'Bristlecone pine', tag: 'tree' },
  { id: 9_007_199_254_740_992n, name: 'Coast redwood', tag: 'tree' },
  { id: 9_007_199_254_740_993n, name: 'Victoria amazonica', tag: 'aquatic' },
  { id: 1_234_567_890_123_456_789n, name: 'Dandelion' },
  { id: 9_223_372_036_854_775_806n, name: 'Pando', tag: 'tree' },
  { id: 9_223_372_036_854_775_807n, name: 'Wolffia', tag: '' },
];

export const seedPlants: readonly NewPlant[] = [
  ...special,
  ...Object.entries(groups)
    .flatMap(([tag, names]) => names.split(/,\s+/).map((name) => ({ name, tag })))
    .map((plant, index) => ({ id: BigInt(index + 10), ...plant })),
];
