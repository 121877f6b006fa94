/** The import of the console, without a browser: files that people have, and what interrupts one. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import type { ImportState } from '../../console/src/import/import-state.ts';
import { toLeftOut } from '../../console/src/import/csv-plan.ts';
import { Importer } from '../../console/src/import/importer.ts';
import { PlantClient } from '../../src/client/client.ts';
import { makeFolder } from '../support/clean-up.ts';
import { startService } from '../support/start-service.ts';
import { lose, openGate, refuse, until } from './gate.ts';

const service = await startService({ after });
const other = new PlantClient({ url: service.url, token: service.token });

function open(target = service) {
  const gate = openGate(target);
  const ended: string[] = [];
  let isSignedIn = true;
  const importer = new Importer({
    client: () => (isSignedIn ? gate.client : undefined),
    findPlants: () => undefined,
    noteError: () => undefined,
    onEnd: ({ step, message }) => void ended.push(`${step}${message === undefined ? '' : `: ${message}`}`),
  });
  const reach = async (step: ImportState['step']): Promise<ImportState> => {
    const state = await until(importer.state, (each) => each.step === step || each.step === 'failed');
    assert.equal(state.step, step, state.message ?? 'no message');
    return state;
  };
  const setSession = (isOpen: boolean): void => {
    isSignedIn = isOpen;
    importer.changeSession(isOpen);
  };
  return { importer, gate, ended, reach, setSession };
}

const toFile = (content: BlobPart, name = 'plants.csv') => new File([content], name);
/** Rows of two parts and a half, from this id. */
const longFile = (start: number) =>
  toFile(
    `id,name,tag\n${Array.from({ length: 2_600 }, (_, at) => `${start + at},${'Plant '.repeat(150)},\n`).join('')}`,
  );

/** Chooses the file and waits until it is checked. */
async function check(text: string, name?: string, target = service) {
  const opened = open(target);
  await opened.importer.choose(toFile(text, name));
  const state = await opened.reach('checked');
  return { ...opened, state };
}

describe('rows without ids', () => {
  it('get no numbers from 1 because the next free one cannot be read: the check waits, or says why', async () => {
    await other.put(1n, { name: 'Rose' });
    const { importer, gate, reach } = open();
    const find = gate.on(/^GET .*order=desc/, lose);
    await importer.choose(toFile('Rose\nIvy\n'));
    assert.equal(importer.state.value.step, 'paused');
    find();
    const recover = gate.on(/^GET .*order=desc/, refuse(500, 50001));
    importer.retry();
    await until(importer.state, ({ step, message }) => step === 'failed' && message === 'Error 50001');
    recover();
    importer.resume();
    assert.equal((await reach('checked')).report?.created, 2n);
  });
});

describe('a file with headings', () => {
  it('is checked with the reason and the text of each refused row, then imported without these', async () => {
    await other.put(7n, { name: 'Taken' });
    const { importer, reach, state } = await check(
      'id,name,tag\n9007199254740993,"Calathea, white",x\nx8,Ficus,tree\n7,Other,\n9,Aloe,"two\nlines"\n10,a,b,c\n',
    );
    assert.deepEqual(
      state.report?.errors.map(({ line, error }) => [line, error, state.rows?.get(Number(line))?.text]),
      [
        [3n, 40011, 'x8,Ficus,tree'],
        [4n, 40901, '7,Other,'],
        [7n, 40015, '10,a,b,c'],
      ],
    );
    assert.equal(await other.get(9007199254740993n), undefined);
    importer.setRule('replace');
    assert.equal(
      (await until(importer.state, ({ step, rule }) => step === 'checked' && rule === 'replace')).report?.refused,
      2n,
    );
    importer.start();
    await reach('done');
    assert.equal((await other.get(9007199254740993n))?.plant.name, 'Calathea, white');
    assert.deepEqual([(await other.get(7n))?.plant.name, (await other.get(9n))?.plant.tag], ['Other', 'two\nlines']);
  });

  it('is imported without zeros before its ids, and with other tags, where that is wanted', async () => {
    const text = 'id;name;tag\n00031;"Aloe; ""white""";\n32;Fern; sale\n33;"Ivy\nHedera";sale\nx;Hoya;sale\n';
    const { importer, reach, state } = await check(text);
    assert.deepEqual(
      state.report?.errors.map(({ line }) => line),
      [2n, 6n],
    );
    assert.deepEqual(
      state.findings?.tags,
      new Map([
        [' sale', 1],
        ['sale', 1],
      ]),
    );
    await importer.setPlan({ repairsIds: true, tags: new Map([[' sale', 'sale']]) });
    const corrected = await reach('checked');
    assert.deepEqual(
      corrected.report?.errors.map(({ line }) => line),
      [6n],
    );
    importer.start();
    await reach('done');
    assert.deepEqual(await Promise.all([31n, 32n, 33n].map(async (id) => (await other.get(id))?.plant)), [
      { id: 31n, name: 'Aloe; "white"' },
      { id: 32n, name: 'Fern', tag: 'sale' },
      { id: 33n, name: 'Ivy\nHedera', tag: 'sale' },
    ]);
  });

  for (const [name, text, format] of [
    ['rows', '{"id":-5,"name":"Dropped"}\n', 'application/x-ndjson'],
    ['a.jsonl', '{"id":-5,"name":"Dropped"}\n', 'application/x-ndjson'],
    ['a.tsv', ' Id \tNAME\tTag\r\n-5\t"a\tb"\t\r\n', 'text/csv'],
    ['a.csv', 'id;name\n-5;"a;b"\n', 'text/csv'],
  ] as const)
    it(`that is called ${name} is taken as ${format}`, async () => {
      const { state } = await check(text, name);
      assert.deepEqual([state.chosen?.format, state.report?.refused], [format, 0n]);
    });

  for (const [what, act] of [
    ['another rule is chosen', ({ importer }) => importer.setRule('replace')],
    [
      'the check is stopped, and continued',
      ({ importer }) => {
        importer.stop();
        importer.resume();
      },
    ],
  ] as const satisfies readonly (readonly [string, (opened: ReturnType<typeof open>) => void])[])
    it(`is sent as it reads if ${what} before it is prepared`, async () => {
      const opened = open();
      void opened.importer.choose(toFile(Buffer.from('id;name\n-9;Weiß\n', 'latin1')));
      act(opened);
      assert.equal((await opened.reach('checked')).report?.created, 1n);
    });
});

describe('a file in another encoding', () => {
  for (const [encoding, bytes] of [
    ['windows-1252', Buffer.from('id,name\n-7,Rübe\n', 'latin1')],
    ['utf-16le', Buffer.from('\ufeffid,name\n-7,Rübe\n', 'utf16le')],
    ['utf-16le', Buffer.from('id,name\n-7,Rübe\n', 'utf16le')],
    ['utf-16be', Buffer.from('\ufeffid,name\n-7,Rübe\n', 'utf16le').swap16()],
  ] as const)
    it(`in ${encoding} (${bytes.length} bytes) is imported as it reads`, async () => {
      await other.delete(-7n);
      const { importer, reach } = open();
      await importer.choose(toFile(bytes));
      assert.equal((await reach('checked')).chosen?.csv?.plan.encoding, encoding);
      importer.start();
      await reach('done');
      assert.equal((await other.get(-7n))?.plant.name, 'Rübe');
    });

  it('whose encoding was guessed wrongly is read in another', async () => {
    const { importer, reach } = open();
    await importer.choose(toFile(Buffer.from('id,name\n-8,Weiß\n', 'latin1')));
    await reach('checked');
    await importer.setPlan({ encoding: 'utf-8' });
    assert.equal((await reach('checked')).report?.errors[0]?.error, 40004);
  });
});

describe('a file of a supplier', () => {
  it('gets new ids in front, its lines keep their numbers, and the rest is said', async (t) => {
    const own = await startService(t);
    const plants = new PlantClient({ url: own.url, token: own.token });
    await plants.put(400n, { name: 'Highest' });
    const text =
      'sep=;\r\nArtikel;Preis;Kategorie\r\n"Rose, ""red""\nlong";4,50;sale\r\n;;\r\nIvy;1\r\n"Fern"x;2;shade\r\nMoss;3;shade';
    const { importer, reach, state } = await check(text, undefined, own);
    const { csv, preview = [] } = state.chosen ?? assert.fail();
    assert.deepEqual(
      [csv?.plan.id, csv?.plan.firstId, csv && toLeftOut(csv.first, csv.plan)],
      ['new', 401n, ['Preis']],
    );
    assert.deepEqual(
      preview.map(({ line, id, name, tag }) => [line, id, name, tag]),
      [
        [3, '401', 'Rose, "red"\nlong', 'sale'],
        [6, '402', 'Ivy', undefined],
        [8, '404', 'Moss', 'shade'],
      ],
    );
    assert.deepEqual(
      state.report?.errors.map(({ line, error }) => [line, error, state.rows?.get(Number(line))?.text]),
      [
        [6n, 40015, '402;Ivy;1'],
        [7n, 40015, '403;"Fern"x;2;shade'],
      ],
    );
    // The second comes before the first is prepared.
    await Promise.all([importer.setPlan({ firstId: 410n }), importer.setPlan({ tag: 'none' })]);
    await reach('checked');
    importer.start();
    await reach('done');
    assert.deepEqual((await plants.get(410n))?.plant, { id: 410n, name: 'Rose, "red"\nlong' });
    assert.deepEqual((await plants.get(413n))?.plant, { id: 413n, name: 'Moss' });
  });

  it('without headings, as cells that are pasted, has its rows from the first on', async () => {
    const { importer, reach, state } = await check('Rose\tsale\r\nIvy\r\n', 'Pasted rows');
    assert.deepEqual([state.chosen?.addedLines, state.report?.created], [1, 1n]);
    const [error] = state.report?.errors ?? [];
    assert.equal(error?.line, 3n);
    await importer.setPlan({ hasHeadings: true });
    assert.equal((await reach('checked')).report?.read, 1n);
  });

  it('with a row that is too long is converted without it', async () => {
    const { state } = await check(`Name;Preis\n"Rose\n${'x'.repeat(70_000)}";1\nIvy;2\n`);
    assert.deepEqual(
      [state.report?.created, state.report?.errors.map(({ line, error }) => [line, error])],
      [1n, [[2n, 40017]]],
    );
  });
});

describe('a file with repeated ids or rows without a name', () => {
  for (const [name, text] of [
    ['a.csv', 'id,name\n501,a\n502,b\n501,c\n502,d\n501,e\n503,\ufffd\n504,f\n501,"x"y\n504,f\n'],
    [
      'a.jsonl',
      '\n{"id":501,"name":"a"}\n{"id":502,"name":"b"}\n{"name":"c","id":501}\n{"id":5.02e2,"name":"d"}\n{"id":501,"name":"e"}\n{"id":503,"name":"f"}\n{"id":504,"name":"f"}\n{"id":501}\n{"id":504,"name":"f"}\n',
    ],
  ] as const)
    it(`that has ids twice names them: ${name}`, async () => {
      await other.put(504n, { name: 'Stored' });
      const { state } = await check(text, name);
      const lines = [...(state.repeated?.ids ?? [])].map(([id, places]) => [id, places.map(({ line }) => line)]);
      assert.deepEqual(
        new Map(lines as [bigint, number[]][]),
        new Map([
          [501n, [2, 4, 6]],
          [502n, [3, 5]],
          [504n, [8, 10]],
        ]),
      );
      assert.deepEqual([state.repeated?.isWhole, state.repeated?.again], [true, 0n]);
    });

  for (const [rule, figures, again] of [
    ['fail', { created: 2n, unchanged: 4n, replaced: 0n, skipped: 0n, refused: 5n }, 0n],
    ['skip', { created: 2n, unchanged: 4n, replaced: 0n, skipped: 4n, refused: 1n }, 0n],
    ['replace', { created: 2n, unchanged: 3n, replaced: 5n, skipped: 0n, refused: 1n }, 4n],
  ] as const)
    it(`that has ids twice is checked as it will be imported: ${rule}`, async () => {
      for (const id of [511n, 512n]) await other.delete(id);
      await other.put(513n, { name: 'Stored', tag: 'a' });
      const rows =
        "511,a,\n511,'=b,\n511,a,\n512,c,\n512,c,\n513,Stored,a\n513,d,\n513,d,\n513,Stored,a\n513,e,\nx,f,\n";
      const { importer, reach } = open();
      await importer.choose(toFile(`id,name,tag\n${rows}`));
      importer.setRule(rule);
      const toPlain = ({ report }: ImportState) => {
        const { created, unchanged, replaced, skipped, refused, errors } = report ?? assert.fail();
        return [
          { created, unchanged, replaced, skipped, refused },
          errors.map(({ line, error }) => `${line} ${error}`),
        ];
      };
      const checked = await reach('checked');
      assert.deepEqual([toPlain(checked)[0], checked.repeated?.again], [figures, again]);
      assert.deepEqual(
        checked.conflicts?.map(({ line, before, isStored }) => `${line} ${before.name} ${isStored}`),
        rule === 'replace'
          ? ['3 a false', '4 =b false', '8 Stored true', '10 d false', '11 Stored false']
          : ['3 a false', '8 Stored true', '9 Stored true', '11 Stored true'],
      );
      importer.start();
      assert.deepEqual(toPlain(await reach('done')), toPlain(checked));
    });

  it('is checked without the ids that it has twice if the token may not read', async () => {
    const { importer, gate, reach } = open();
    gate.on(/GET/, refuse(403, 40301));
    await importer.choose(toFile('id,name\n521,a\n521,b\n'));
    const { report, repeated } = await reach('checked');
    assert.deepEqual([report?.created, repeated?.ids.size, repeated?.again], [2n, 1, undefined]);
  });

  it('is refused where ids are taken, whatever was chosen for the file before', async () => {
    await other.put(531n, { name: 'Stored' });
    const { importer, reach } = await check('id,name\n531,Other\n');
    importer.setRule('replace');
    const replacing = await until(importer.state, ({ step, rule }) => step === 'checked' && rule === 'replace');
    assert.deepEqual(
      replacing.conflicts?.map(({ plant, before }) => [plant.name, before.name]),
      [['Other', 'Stored']],
    );
    await importer.choose(toFile('id,name\n531,Other\n'));
    assert.equal((await reach('checked')).report?.refused, 1n);
    importer.setRule('replace');
    importer.reset();
    await importer.choose(toFile('id,name\n531,Other\n'));
    assert.equal((await reach('checked')).report?.refused, 1n);
  });

  for (const [name, text, left, leftOut] of [
    ['a.csv', 'name,id\n,601\nFern,602\n" ",603\n,x\n,604\n,605\n,606\n,607\n', ['3 Fern'], 7],
    ['names.csv', 'Bezeichnung\n""\nFern\n" "\nIvy\n""\n""\n""\n""\n', ['3 Fern', '5 Ivy'], 6],
    [
      'a.jsonl',
      [601, 602, 603, 'x', 604, 605, 606, 607]
        .map((id) => `\n${JSON.stringify({ id, name: id === 602 ? 'Fern' : id === 603 ? ' ' : '' })}`)
        .join(''),
      [],
      0,
    ],
  ] as const)
    it(`names the first rows without a name, and leaves them out: ${name}`, async () => {
      const { state, importer, reach } = await check(text, name);
      const lines = [2, 4, 6, 7, 8];
      assert.deepEqual(state.findings?.unnamed, { lines, count: 6, examples: ['', ' ', '', '', ''] });
      if (state.chosen?.csv === undefined) return;
      await importer.setPlan({ skipsUnnamed: true });
      const { report, chosen } = await reach('checked');
      // They are still on their lines.
      assert.deepEqual(
        chosen?.preview?.map((row) => `${row.line} ${row.name}`),
        left,
      );
      assert.deepEqual([report?.read, report?.refused, chosen.leftOut], [BigInt(left.length), 0n, leftOut]);
    });
});

describe('a file', () => {
  for (const [name, content, problem] of [
    ['a.csv', '', 'This file is empty.'],
    ['a.csv', '\ufeff \r\n', 'This file is empty.'],
    ['a.csv', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'This is no text file.'],
    ['a.csv', `plants.csv${'\0'.repeat(90)}id,name\n1,Aloe\n`, 'This is no text file.'],
    ['a.xlsx', Buffer.from('504b030414000600', 'hex'), 'This is the file of a spreadsheet'],
    ['a.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'This is the file of a spreadsheet'],
    [
      'a.jsonl',
      Buffer.from('{"id":1,"name":"Rübe"}', 'latin1'),
      'This file is probably Windows-1252. Save it as UTF-8.',
    ],
  ] as const)
    it(`that is not one to import is not sent: ${problem} (${name}, ${content.length})`, async () => {
      const { importer, reach, gate } = open();
      await importer.choose(toFile(content, name));
      const { message = '' } = await reach('failed');
      assert.ok(message.startsWith(problem), message);
      assert.deepEqual(gate.requests, []);
    });

  it('that cannot be read, as a folder that is dropped, is refused', async () => {
    const { importer, reach } = open();
    const folder = Object.assign(toFile(''), {
      slice: () => ({ arrayBuffer: () => Promise.reject(new Error('Not found')) }),
    });
    await importer.choose(folder);
    assert.match((await reach('failed')).message ?? '', /^This file cannot be read\./);
  });

  it('that was saved again after the check is to be chosen again', async (test: TestContext) => {
    const path = join(await makeFolder(test), 'plants.csv');
    await writeFile(path, 'id,name\n71,Aloe\n');
    const { importer, reach } = open();
    await importer.choose(Object.assign(await openAsBlob(path), { name: 'plants.csv', lastModified: 0 }) as File);
    await reach('checked');
    await writeFile(path, 'id,name\n71,Aloe vera\n');
    importer.start();
    const { message, chosen } = await reach('failed');
    assert.deepEqual([message, chosen?.preview], ['The file was changed or moved. Choose it again.', undefined]);
    assert.equal(await other.get(71n), undefined);
  });
});

describe('an import', () => {
  it('stops with the true number, and continues where it stopped', async () => {
    const { importer, gate, reach, ended } = open();
    await importer.choose(longFile(1_000_000));
    await reach('checked');
    const before = await other.count();
    const { sent, release } = gate.hold(/dryRun=false/);
    importer.start();
    await sent;
    importer.stop();
    assert.equal(importer.isImporting, false);
    release();
    const { report } = await reach('stopped');
    const stored = (await other.count()) - before;
    assert.ok(stored > 0n && stored < 2_600n, String(stored));
    assert.equal(report?.created, stored);
    importer.resume();
    assert.equal((await reach('done')).report?.created, 2_600n);
    assert.equal((await other.count()) - before, 2_600n);
    assert.deepEqual(ended, ['done']);
  });

  it('that is only checked stops at once, keeps what it has, and does not count as running', async () => {
    const { importer, gate, reach } = open();
    let parts = 0;
    const recover = gate.on(/dryRun=true/, (send) => (++parts === 2 ? new Promise(() => undefined) : send()));
    await importer.choose(longFile(3_000_000));
    await until(importer.state, ({ report }) => report !== undefined);
    assert.equal(importer.isImporting, false);
    importer.stop();
    const { report, isDryRun } = await reach('stopped');
    assert.ok((report?.read ?? 0n) > 0n && isDryRun);
    recover();
    importer.resume();
    assert.equal((await reach('checked')).report?.read, 2_600n);
  });

  for (const rule of ['fail', 'replace'] as const)
    it(`whose response is lost goes on ${rule === 'fail' ? 'by itself' : 'when the person says so: it can undo what others did'}`, async () => {
      await other.put(80n, { name: 'Before' });
      const { importer, gate, reach } = await check('id,name\n80,Imported\n81,Fern\n');
      importer.setRule(rule);
      await until(importer.state, (state) => state.step === 'checked' && state.rule === rule);
      const recover = gate.on(/dryRun=false/, lose);
      importer.start();
      await reach(rule === 'fail' ? 'paused' : 'stopped');
      await other.put(80n, { name: 'By someone else' });
      recover();
      importer.retry();
      if (rule === 'replace') {
        assert.equal(importer.state.value.step, 'stopped');
        importer.resume();
      }
      await reach('done');
      assert.equal((await other.get(80n))?.plant.name, rule === 'fail' ? 'By someone else' : 'Imported');
    });

  it('that the service refuses can be tried again from there', async () => {
    const { importer, gate, reach, ended } = open();
    await importer.choose(longFile(2_000_000));
    await reach('checked');
    let parts = 0;
    const recover = gate.on(/dryRun=false/, (send) => (++parts === 2 ? refuse(500, 50001)(send) : send()));
    importer.start();
    const { report } = await reach('failed');
    assert.ok((report?.created ?? 0n) > 0n);
    assert.deepEqual(ended, ['failed: Error 50001']);
    recover();
    importer.resume();
    await until(importer.state, ({ step }) => step === 'done');
    assert.equal(importer.state.value.report?.created, 2_600n);
  });

  it('ends with the session, is told to the next one, and is dropped when the person signs out', async () => {
    const { importer, gate, ended, setSession } = await check('id,name\n90,Aloe\n');
    const { sent, release } = gate.hold(/dryRun=false/);
    importer.start();
    await sent;
    setSession(false);
    assert.deepEqual([importer.state.value.step, ended], ['stopped', []]);
    release();
    setSession(true);
    assert.deepEqual(ended, ['stopped: The session ended.']);
    importer.reset();
    assert.equal(importer.state.value.step, 'choosing');
  });
});
