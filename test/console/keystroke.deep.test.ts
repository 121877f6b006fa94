/** What a letter in the search costs with as many plants as the page holds: a few times a plain loop over their texts, whatever the machine. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bounds } from '../../console/src/copy/bounds.ts';
import { toRow } from '../../console/src/copy/order.ts';
import { all } from '../../console/src/copy/query.ts';
import { ShownRows } from '../../console/src/list/shown-rows.ts';

/** A loop that collects what it finds costs 1. Measured: 1.0 to 1.1. */
const ratioMax = 3;
const rounds = 30;

it('a letter in the search of 20,000 plants costs at most three times a loop over them', (test) => {
  const names = ['Monstera deliciosa', "Rosa × alba 'Königin von Dänemark'", 'Acer palmatum var. dissectum', 'Moss'];
  const rows = new Map(
    Array.from({ length: bounds.plantsMax }, (_, at) => {
      const id = BigInt(at);
      return [id, toRow({ id, name: `${names[at % names.length]} ${at}`, tag: `tag ${at % 50}` })] as const;
    }),
  );
  const shown = new ShownRows({ state: { rows, query: all } }, () => undefined);
  shown.show({}, 'name');
  const searches = ['m', 'mo', 'mon', 'mons', 'mons del', 'konig', 'tag 7', 'zzz'];
  const found: number[] = [];
  const toMs = (search: (text: string) => void): number => {
    const times = Array.from({ length: rounds }, () => {
      const start = process.cpuUsage();
      for (const text of searches) search(text);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000 / searches.length;
    });
    return Math.min(...times);
  };
  const loop = toMs((text) => {
    const [one = '', two = ''] = text.split(' ').map((word) => (word.length < 3 ? ` ${word}` : word));
    const list = [...rows.values()];
    found.push(list.filter((row) => row.searchText.includes(one) && row.searchText.includes(two)).length);
  });
  const keystroke = toMs((text) => {
    shown.show({ search: text }, 'name');
    found.push(shown.size);
  });
  const half = found.length / 2;
  assert.deepEqual(found.slice(0, half), found.slice(half), 'both find the same');
  test.diagnostic(`${keystroke.toFixed(2)} ms of CPU, ${(keystroke / loop).toFixed(2)} times a loop`);
  assert.ok(keystroke <= ratioMax * loop, `${keystroke} ms, the loop ${loop} ms`);
});
