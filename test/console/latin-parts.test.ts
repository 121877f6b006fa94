/** Which words of a name are in italics: those between asterisks. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toLatinParts } from '../../console/src/ui/latin-parts.ts';

const names = [
  // Species, and what is below them.
  '*Monstera deliciosa*',
  '*Aloe vera*',
  '*Zamioculcas zamiifolia*',
  '*Acer palmatum* var. *dissectum*',
  '*Ficus microcarpa* f. *variegata*',
  '*Euphorbia milii* var. *splendens*',
  '*Narcissus pseudonarcissus* subsp. *major*',
  '*Monstera deliciosa variegata*',
  '*Opuntia ficus-indica*',
  '*Hedera helix*',
  '*Begonia rex*',
  '*Pilea peperomioides*',
  '*Spathiphyllum wallisii*',
  '*Salvia officinalis* L.',
  '*Citrus* × *limon*',
  '*M. adansonii*',
  '*Philodendron* sp.',
  '*Anthurium* cf. veitchii',
  // Hybrids.
  '*Mentha* × *piperita*',
  '*Mentha* x *piperita*',
  '*Mentha* ×*piperita*',
  '*Mentha* ×\u00a0*piperita*',
  '*Mentha* x\u00a0*piperita*',
  '× *Fatshedera lizei*',
  // Cultivars.
  "*Monstera deliciosa* 'Thai Constellation'",
  '*Ficus elastica* ‘Tineke’',
  "*Rosa* 'Gloria Dei'",
  "*Calathea* 'White Star' 12 cm",
  "*Acer palmatum* 'Bloodgood', grafted",
  '*Hoya carnosa* cv. Compacta',
  // Among other words.
  'Swiss cheese plant (*Monstera deliciosa*)',
  'Fensterblatt *Monstera deliciosa*, groß',
  // No Latin at all.
  'Monstera',
  'Hoya 365',
  'Blue fern',
  'Snake plant',
  'Christmas cactus',
  'Golden pothos',
  'Venus flytrap',
  'Rote Rübe',
  'Echte Kamille',
  'Petunia mix',
  'Ficus bonsai',
  'Pot 12 cm × 12 cm',
  "Grandma's 'Best' fern",
  'MONSTERA DELICIOSA',
  '=1+1',
  '',
];

for (const marked of names)
  it(`toLatinParts() of ${marked === '' ? 'nothing' : marked}`, () => {
    const parts = toLatinParts(marked.replaceAll('*', ''));
    assert.equal(parts.map((part, at) => (at % 2 === 1 ? `*${part}*` : part)).join(''), marked);
  });

it('toLatinParts() takes long names in little time', () => {
  const text = 'Aa aa-'.repeat(160);
  assert.equal(toLatinParts(text).join(''), text);
});
