/** The form of one plant, without a browser: what others do meanwhile, a slow network, and a service that is away. */
import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import { announcements, type LoggedChange } from '../../console/src/copy/changes.ts';
import { Editor } from '../../console/src/form/editor.ts';
import { toIncoming } from '../../console/src/form/editor-state.ts';
import { type Draft, isDirty } from '../../console/src/form/plant-form.ts';
import { type Plant, PlantClient, type StoredPlant } from '../../src/client/client.ts';
import { startService } from '../support/start-service.ts';
import { lose, openGate, refuse, until } from './gate.ts';

const service = await startService({ after });
const other = new PlantClient({ url: service.url, token: service.token });
const id = 7n;

async function stored(): Promise<Plant | undefined> {
  const plant = (await other.get(id))?.plant;
  return plant === undefined ? undefined : { name: plant.name, ...(plant.tag === undefined ? {} : { tag: plant.tag }) };
}

/** Opens the form on this plant, or of a new one, and reads it. @param listed what a row of the list shows of it: opens its fields. */
async function open(
  test: TestContext,
  plant?: Plant,
  drafts = new Map<string, string>(),
  listed?: Plant,
  tag?: string | null,
) {
  if (plant !== undefined) await other.put(id, plant);
  const gate = openGate(service);
  const saved: string[] = [];
  const failed: string[] = [];
  const editor = new Editor(
    plant === undefined ? 'new' : id,
    {
      client: gate.client,
      canRead: true,
      tag,
      drafts: {
        read: (key) => (drafts.has(key) ? (JSON.parse(drafts.get(key) ?? '') as Draft) : undefined),
        write: (key, draft) => {
          if (draft === undefined) drafts.delete(key);
          else drafts.set(key, JSON.stringify(draft));
        },
      },
      noteError: () => undefined,
      onSaved: ({ plant: { name }, isNew, isMerged }) =>
        void saved.push(`${name}${isNew ? ', new' : ''}${isMerged ? ', merged' : ''}`),
      onFailed: (name, reason) => void failed.push(`${name}: ${reason}`),
      onWaiting: (name) => void failed.push(`${name} waits`),
    },
    listed && { id, ...listed },
  );
  const close = editor.open();
  test.after(close);
  await until(editor.form, ({ state, draft }) => state !== 'reading' && draft.id !== '');
  return { editor, gate, saved, failed, drafts, close };
}

/** A change by someone else in the log. */
function log(plant: Plant | undefined, isOwn = false): void {
  const known: StoredPlant | undefined = plant === undefined ? undefined : { id, ...plant };
  const change = { id, kind: plant === undefined ? 'deleted' : 'replaced', plant: known, isOwn, isOutdated: false };
  announcements.call({ kind: 'logged', changes: [change as unknown as LoggedChange] });
}

describe('a change by someone else', () => {
  for (const [what, mine, theirs, expected, text] of [
    [
      'to another member is kept',
      { name: 'Mine' },
      { name: 'Aloe', tag: 'sale' },
      { name: 'Mine', tag: 'sale' },
      'Mine, merged',
    ],
    ['that removed the tag is kept', { name: 'Mine' }, { name: 'Aloe' }, { name: 'Mine' }, 'Mine, merged'],
    [
      'that is the same is no question',
      { name: 'Mine' },
      { name: 'Mine', tag: 'shade' },
      { name: 'Mine', tag: 'shade' },
      'Mine',
    ],
  ] as const)
    it(what, async (test) => {
      const { editor, saved } = await open(test, { name: 'Aloe', tag: 'shade' });
      editor.type(mine);
      await other.put(id, theirs);
      await editor.save();
      assert.deepEqual([saved, await stored()], [[text], expected]);
    });

  it('to the same member is a choice, which is asked again about what is stored by then', async (test) => {
    const { editor, saved, failed } = await open(test, { name: 'Aloe', tag: 'shade' });
    editor.type({ name: 'Mine', tag: 'my tag' });
    await other.put(id, { name: 'Theirs', tag: 'sale' });
    await editor.save();
    const first = editor.form.value.conflict;
    assert.ok(typeof first === 'object');
    await other.put(id, { name: 'Later', tag: 'sale' });
    await editor.save({ stored: first, choices: { name: 'mine', tag: 'theirs' } });
    const second = editor.form.value.conflict;
    assert.ok(typeof second === 'object' && second.plant.name === 'Later');
    await editor.save({ stored: second, choices: { name: 'mine', tag: 'theirs' } });
    assert.deepEqual([saved, await stored()], [['Mine'], { name: 'Mine', tag: 'sale' }]);
    assert.deepEqual(failed, ['Mine: It was changed since.', 'Mine: It was changed since.']);
  });

  it('to another member is kept, and said, beside the answer to that question', async (test) => {
    const { editor, saved } = await open(test, { name: 'Aloe', tag: 'shade' });
    editor.type({ name: 'Mine' });
    await other.put(id, { name: 'Theirs', tag: 'sale' });
    await editor.save();
    const stored = editor.form.value.conflict;
    assert.ok(typeof stored === 'object');
    await editor.save({ stored, choices: { name: 'mine' } });
    assert.deepEqual([saved, (await other.get(id))?.plant], [['Mine, merged'], { id, name: 'Mine', tag: 'sale' }]);
  });

  it('that deleted it can be answered by creating it again', async (test) => {
    const { editor, saved } = await open(test, { name: 'Aloe' });
    editor.type({ name: 'Still here' });
    await other.delete(id);
    await editor.save();
    assert.equal(editor.form.value.conflict, 'deleted');
    await editor.save('create');
    assert.deepEqual([saved, await stored()], [['Still here, new'], { name: 'Still here' }]);
  });

  it('is mentioned, until the form has the same', async (test) => {
    const { editor } = await open(test, { name: 'Aloe' });
    log({ name: 'Theirs' });
    assert.equal(toIncoming(editor.form.value)?.plant?.name, 'Theirs');
    log({ name: 'Aloe' });
    assert.equal(toIncoming(editor.form.value), undefined);
    log({ name: 'Theirs' });
    log({ name: 'By this page' }, true);
    assert.equal(toIncoming(editor.form.value), undefined);
  });

  it('is loaded under what was typed, and asked about if both changed the same', async (test) => {
    const { editor } = await open(test, { name: 'Aloe' });
    editor.type({ name: 'Mine' });
    await other.put(id, { name: 'Aloe', tag: 'sale' });
    log({ name: 'Aloe', tag: 'sale' });
    await editor.loadStored();
    const { draft, incoming } = editor.form.value;
    assert.deepEqual([draft.name, draft.tag, incoming], ['Mine', 'sale', undefined]);
    await other.put(id, { name: 'Theirs' });
    await editor.loadStored();
    assert.ok(typeof editor.form.value.conflict === 'object');
    editor.discard();
    await until(editor.form, ({ state }) => state === 'ready');
    assert.equal(editor.form.value.draft.name, 'Theirs');
  });

  it('that deleted it and created it again shows it with what was typed', async (test) => {
    const { editor } = await open(test, { name: 'Aloe' });
    editor.type({ name: 'Typed' });
    announcements.call({ kind: 'deleted', id });
    assert.equal(editor.form.value.state, 'gone');
    log({ name: 'Aloe' });
    const { draft } = await until(editor.form, ({ state }) => state === 'ready');
    assert.equal(draft.name, 'Typed');
    await other.delete(id);
    await editor.loadStored();
    assert.equal(editor.form.value.conflict, 'deleted');
  });

  it('in an import of this page is shown, unless something was typed', async (test) => {
    const { editor, gate } = await open(test, { name: 'Aloe' });
    await other.put(id, { name: 'Imported' });
    announcements.call({ kind: 'many' });
    await until(editor.form, ({ draft }) => draft.name === 'Imported');
    editor.type({ name: 'Typed' });
    const before = gate.requests.length;
    announcements.call({ kind: 'many' });
    assert.equal(gate.requests.length, before);
  });
});

describe('the fields of a row', () => {
  it('start from what the row shows, and read the plant only to save it', async (test) => {
    await other.put(id, { name: 'Aloe', tag: 'shade' });
    const { editor, gate, saved, drafts } = await open(test, { name: 'Aloe', tag: 'sale' }, undefined, {
      name: 'Aloe',
      tag: 'shade',
    });
    assert.deepEqual([editor.form.value.state, gate.requests], ['ready', []]);
    editor.type({ name: 'Mine' });
    editor.discard();
    assert.deepEqual([editor.form.value.draft.name, drafts.size, gate.requests], ['Aloe', 0, []]);
    editor.type({ name: 'Mine' });
    await editor.save();
    assert.deepEqual([saved, await stored()], [['Mine, merged'], { name: 'Mine', tag: 'sale' }]);
  });

  it('leave what both changed to the form, which begins with that question', async (test) => {
    const row = await open(test, { name: 'Theirs' }, undefined, { name: 'Aloe' });
    row.editor.type({ name: 'Mine' });
    await row.editor.save();
    assert.ok(typeof row.editor.form.value.conflict === 'object');
    row.close();
    const { editor } = await open(test, { name: 'Theirs' }, row.drafts);
    const { draft } = await until(editor.form, ({ conflict }) => typeof conflict === 'object');
    assert.equal(draft.name, 'Mine');
  });
});

describe('a slow network', () => {
  it('brings nothing into a form that is being saved', async (test) => {
    const { editor, gate, saved } = await open(test, { name: 'Aloe' });
    editor.type({ name: 'Mine' });
    await other.patch(id, { tag: 'sun' });
    const [read, write] = [gate.hold(/^GET/), gate.hold(/^PATCH/)];
    const loading = editor.loadStored();
    await read.sent;
    const saving = editor.save();
    await write.sent;
    read.release();
    await loading;
    assert.equal(editor.form.value.state, 'saving');
    write.release();
    await saving;
    assert.deepEqual(saved, ['Mine, merged']);
  });

  it('does not take the draft that was begun meanwhile', async (test) => {
    const { editor, gate, drafts } = await open(test);
    editor.type({ id: '71', name: 'First' });
    const { sent, release } = gate.hold(/^POST/);
    const saving = editor.save();
    await sent;
    const next = JSON.stringify({ ...editor.form.value.draft, name: 'Second' });
    drafts.set('new', next);
    release();
    await saving;
    assert.equal(drafts.get('new'), next);
  });

  it('is not taken for someone else when it loses the response', async (test) => {
    const { editor, gate, saved } = await open(test, { name: 'Aloe' });
    editor.type({ name: 'Mine' });
    const recover = gate.on(/^PATCH/, lose);
    await editor.save();
    assert.equal(editor.form.value.state, 'waiting');
    recover();
    editor.retry();
    await until(editor.form, ({ state }) => state === 'ready');
    assert.deepEqual(saved, ['Mine']);
  });
});

describe('a service that does not respond', () => {
  it('gets what was typed when it is back, also from a form that is opened again', async (test) => {
    const { editor, gate, failed, close, drafts } = await open(test, { name: 'Aloe' });
    editor.type({ name: 'Mine' });
    gate.on(/^PATCH/, refuse(503, 50301));
    await editor.save();
    close();
    assert.deepEqual(failed, ['Mine waits']);
    const again = await open(test, await stored(), drafts);
    const { draft, isRestored } = again.editor.form.value;
    assert.deepEqual([draft.name, isRestored, again.gate.requests], ['Mine', true, []]);
    await again.editor.save();
    assert.deepEqual([again.saved, drafts.size], [['Mine'], 0]);
  });

  it('is asked again for what could not be read', async (test) => {
    await other.put(id, { name: 'Aloe' });
    const gate = openGate(service);
    const recover = gate.on(/^GET/, refuse(500, 50001));
    const ports = { read: () => undefined, write: () => undefined };
    const editor = new Editor(id, {
      client: gate.client,
      canRead: true,
      drafts: ports,
      noteError: () => undefined,
      onSaved: () => undefined,
      onFailed: () => undefined,
      onWaiting: () => undefined,
    });
    test.after(editor.open());
    await until(editor.form, ({ state }) => state === 'failed');
    recover();
    editor.retry();
    await until(editor.form, ({ draft }) => draft.name === 'Aloe');
  });

  it('with a full disk responds: the form says so, and waits for nothing', async (test) => {
    const { editor, gate } = await open(test, { name: 'Aloe' });
    editor.type({ name: 'Mine' });
    gate.on(/^PATCH/, refuse(503, 50302));
    await editor.save();
    assert.deepEqual([editor.form.value.state, editor.form.value.message], ['ready', 'Error 50302']);
  });
});

describe('a new plant', () => {
  it('has a free id, or names the plant that has it', async (test) => {
    await other.put(id, { name: 'Aloe' });
    const { editor, saved, failed } = await open(test);
    editor.type({ id: '', name: '' });
    await editor.save();
    assert.deepEqual(Object.keys(editor.form.value.errors), ['name']);
    editor.type({ id: ' 007', name: 'Mint' });
    assert.deepEqual(editor.form.value.errors, {});
    await editor.save();
    assert.equal(editor.shown.id, ' 007');
    assert.deepEqual(
      [editor.form.value.errors, editor.form.value.taken?.name, failed],
      [{ id: 'The id 7 is already in use.' }, 'Aloe', [': Enter a name.', 'Mint: The id 7 is already in use.']],
    );
    editor.type({ id: '09007199254740993 ' });
    await editor.save();
    assert.deepEqual([saved, (await other.get(9007199254740993n))?.plant.name], [['Mint, new'], 'Mint']);
  });

  it('gets one more than the highest id below a billion, and the form stays for the next, with the tag', async (test) => {
    for (const plantId of [-5n, 400n, 1_000_000_000n, 4006381333931n]) await other.put(plantId, { name: 'Aloe' });
    const { editor, drafts } = await open(test);
    assert.equal(editor.form.value.draft.id, '401');
    editor.type({ name: ' Rose ', tag: ' sale' });
    await editor.save();
    const { added, draft } = await until(editor.form, (form) => form.draft.id === '402');
    assert.deepEqual(added, { id: 401n, name: 'Rose', tag: 'sale' });
    assert.deepEqual([draft.name, draft.tag, isDirty(draft), drafts.size], ['', 'sale', false, 0]);
    assert.deepEqual((await other.get(401n))?.plant, added);
  });

  it('begins with the tag of the list, which alone is nothing to save', async (test) => {
    for (const [tag, expected] of [
      ['sale', 'sale'],
      [null, ''],
    ] as const) {
      const { editor } = await open(test, undefined, undefined, undefined, tag);
      assert.deepEqual([editor.shown.tag, isDirty(editor.shown)], [expected, false]);
      editor.type({ name: 'Typed' });
      editor.discard();
      assert.equal(editor.shown.tag, expected);
    }
  });

  for (const zeros of ['', '00'])
    it(`gets the next id if someone else took the proposed one, even for an equal plant (${zeros}7)`, async (test) => {
      const { editor, drafts } = await open(test);
      const { id: proposed } = editor.form.value.draft;
      const first = BigInt(proposed);
      await other.create({ id: first, name: 'Mint' });
      await other.create({ id: first + 1n, name: 'Fern' });
      editor.type({ id: `${zeros}${proposed}`, name: 'Mint' });
      await editor.save();
      assert.deepEqual([editor.form.value.added, drafts.size], [{ id: first + 2n, name: 'Mint' }, 0]);
    });

  for (const isClosed of [false, true])
    it(`is added once if the response is lost${isClosed ? ' and the form opened again' : ''}`, async (test) => {
      const before = await other.count();
      const { editor, gate, drafts, close } = await open(test);
      editor.type({ name: 'Hoya' });
      const recover = gate.on(/^PUT/, lose);
      await editor.save();
      assert.equal(editor.form.value.state, 'waiting');
      recover();
      let form = editor;
      if (isClosed) {
        close();
        form = (await open(test, undefined, drafts)).editor;
        await form.save();
      } else editor.retry();
      await until(form.form, ({ added }) => added !== undefined);
      assert.equal((await other.count()) - before, 1n);
    });

  it('is added once if a proxy has given up on the response', async (test) => {
    const before = await other.count();
    const { editor, gate } = await open(test);
    editor.type({ name: 'Hoya' });
    const recover = gate.on(/^PUT/, async (send) => {
      await (await send()).text();
      return new Response('<html></html>', { status: 504 });
    });
    await editor.save();
    assert.equal(editor.form.value.state, 'ready');
    recover();
    await editor.save();
    assert.deepEqual([(await other.count()) - before, editor.form.value.added?.name], [1n, 'Hoya']);
  });

  it('leaves the fields at once: what is typed while it is saved stays in them, and is not sent before', async (test) => {
    const { editor, gate, saved, drafts } = await open(test);
    const { sent, release } = gate.hold(/^PUT/);
    editor.type({ name: 'First' });
    const saving = editor.save();
    editor.type({ name: 'Second' });
    await sent;
    await editor.save();
    assert.equal(editor.form.value.errors.name, 'The previous plant is still being saved. Try again in a moment.');
    assert.equal(editor.shown.name, 'Second');
    editor.type({ name: 'Second!' });
    assert.deepEqual(editor.form.value.errors, {});
    await editor.save();
    const again = (await open(test, undefined, new Map(drafts))).editor;
    assert.deepEqual([again.shown.name, again.shown.next?.name], ['First', 'Second!']);
    release();
    await saving;
    const { added, errors } = await until(editor.form, (form) => form.added?.name === 'First' && form.draft.id !== '');
    assert.deepEqual(
      [saved, errors, editor.shown.name, BigInt(editor.shown.id)],
      [['First, new'], {}, 'Second!', (added?.id ?? 0n) + 1n],
    );
    assert.equal((JSON.parse(drafts.get('new') ?? '') as Draft).name, 'Second!');
    await editor.save();
    assert.equal(saved.at(-1), 'Second!, new');
  });

  it('that is refused leaves what was typed since in the fields, says so, and comes back before it', async (test) => {
    const { editor, gate, saved } = await open(test);
    const recover = gate.on(/^PUT/, refuse(500, 50001));
    editor.type({ name: 'First' });
    const saving = editor.save();
    editor.type({ name: 'Sec' });
    await saving;
    editor.type({ name: 'Second' });
    assert.deepEqual([editor.shown.name, editor.form.value.message], ['Second', 'Error 50001']);
    editor.goBack();
    assert.equal(editor.shown.name, 'First');
    editor.type({ name: 'Repaired' });
    recover();
    await editor.save();
    assert.deepEqual([saved, editor.shown.name], [['Repaired, new'], 'Second']);
    editor.discard();
    assert.equal(editor.shown.name, '');
  });

  it('whose id is in use says so in a message, not at the fields of the next one', async (test) => {
    await other.put(id, { name: 'Aloe' });
    const { editor } = await open(test);
    editor.type({ id: String(id), name: 'First' });
    const saving = editor.save();
    editor.type({ name: 'Second' });
    await saving;
    const { message, errors } = editor.form.value;
    assert.deepEqual([editor.shown.name, message, errors], ['Second', 'The id 7 is already in use.', {}]);
  });

  it('gets an id above a billion once all below are behind it', async (test) => {
    for (const plantId of [999_999_999n, 1_000_000_000n]) await other.put(plantId, { name: 'Aloe' });
    const { editor } = await open(test);
    editor.type({ name: 'Hoya' });
    await editor.save();
    assert.equal(editor.form.value.added?.id, 1_000_000_001n);
    await other.delete(999_999_999n);
  });

  it('waits for its id while the service does not respond', async (test) => {
    const { editor, gate } = await open(test);
    editor.type({ id: '', name: 'Ivy' });
    const recover = gate.on(/^GET/, refuse(503, 50301));
    await editor.save();
    assert.equal(editor.form.value.state, 'waiting');
    recover();
    editor.retry();
    await until(editor.form, ({ added }) => added?.name === 'Ivy');
  });
});
