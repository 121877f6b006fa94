/** `plant-store batch`: one action on many plants of a running service. */
import type { Batch, BatchReport, PlantClient } from '../../client/client.ts';
import { toGroup } from '../../client/make-group.ts';
import { UsageError } from '../../config/usage-error.ts';
import { toJson } from '../../json/to-json.ts';
import type { CommandContext } from '../command-context.ts';
import {
  type CommandDefinition,
  defineCommand,
  type OptionText,
  stoppedExitCode,
  toStopSignal,
} from '../inputs/add-command.ts';
import { withClient, serviceOptions, type ServiceFlags } from '../inputs/service.ts';
import { confirm, type ConfirmFlags, type FilterFlags, parseIds, searchRule, yesOption } from '../inputs/values.ts';
import { Progress } from '../output/progress.ts';
import { toCount } from '../output/to-count.ts';
import { toPrintable } from '../output/to-printable.ts';
import { toUndoHint } from '../output/to-undo-hint.ts';

interface Given extends ServiceFlags, ConfirmFlags, FilterFlags {
  readonly to?: string;
  readonly all?: true;
  readonly group?: string;
  readonly json?: boolean;
}

/** Some plants were refused or not undone; the others are changed. */
const refusedExitCode = 3;
const ids: OptionText = ['[id...]', 'The ids of the plants'];
const filterOptions: readonly OptionText[] = [
  ['--tag <tag>', 'Instead of ids: plants with exactly this tag; "" is the empty tag'],
  ['--untagged', 'Instead of ids: plants without a tag'],
  ['--name <words>', 'Instead of ids: plants whose name has a word that begins with each of these'],
  ['--search <words>', `Instead of ids: plants ${searchRule}`],
  ['--all', 'Instead of ids: all plants'],
];
const commonOptions: readonly OptionText[] = [
  ['--group <name>', 'Name of the changes, a new one for each batch; with the same name again, it goes on'],
  ['--json', 'Write the report as JSON'],
  ...serviceOptions,
];
const exits =
  'Exit code 3: some plants were refused or not undone, the others are changed; 130: stopped, the service goes on.';

export const batchCommands: readonly CommandDefinition[] = [
  defineCommand({
    name: 'set-tag',
    summary: 'Set the tag of many plants',
    description: `Give many plants of a running service the same tag. ${exits}`,
    argument: ids,
    options: [['--to <tag>', 'The new tag; "" is the empty tag'], ...filterOptions, yesOption, ...commonOptions],
    examples: [
      'plant-store batch set-tag 7 8 9 --to rare',
      'plant-store batch set-tag --tag climber --to climbers --yes',
    ],
    run: (given: Given, context, texts: readonly string[]) => {
      if (given.to === undefined) throw new UsageError('Cannot run the command: option --to is missing');
      return runChange({ action: 'setTag', plants: toPlants(given, texts), tag: given.to }, 'Tag', given, context);
    },
  }),
  defineCommand({
    name: 'clear-tag',
    summary: 'Remove the tag of many plants',
    description: `Remove the tag of many plants of a running service. ${exits}`,
    argument: ids,
    options: [...filterOptions, yesOption, ...commonOptions],
    examples: ['plant-store batch clear-tag 7 8 9', 'plant-store batch clear-tag --tag climber --yes'],
    run: (given: Given, context, texts: readonly string[]) =>
      runChange({ action: 'clearTag', plants: toPlants(given, texts) }, 'Remove the tag of', given, context),
  }),
  defineCommand({
    name: 'delete',
    summary: 'Delete many plants',
    description: `Delete many plants of a running service. Ids without a plant count as unchanged. ${exits}`,
    argument: ids,
    options: [...filterOptions, yesOption, ...commonOptions],
    examples: ['plant-store batch delete 7 8 9', 'plant-store batch delete --tag climber --name mon --yes'],
    run: (given: Given, context, texts: readonly string[]) =>
      runChange({ action: 'delete', plants: toPlants(given, texts) }, 'Delete', given, context),
  }),
  defineCommand({
    name: 'restore',
    summary: 'Restore deleted plants',
    description: `Restore deleted plants as they were, as long as their changes are kept. ${exits}`,
    argument: ['<id...>', 'The ids of the plants'],
    options: commonOptions,
    examples: ['plant-store batch restore 7 8 9'],
    run: (given: Given, context, texts: readonly string[]) =>
      runBatch({ action: 'restore', plants: parseIds(texts) }, given, context),
  }),
  defineCommand({
    name: 'undo',
    summary: 'Undo a batch',
    description: `Give the plants of a batch the state that they had before, unless they have changed since. ${exits}`,
    argument: ['<group>', 'The group of the batch, as its report and the change log have it'],
    options: commonOptions,
    examples: ['plant-store batch undo 9f1c09ad6b5e4d3c2b1a0f9e'],
    run: (given: Given, context, group: string) => runBatch({ action: 'undo', undoes: group }, given, context),
  }),
];

/** A batch of which people select the plants. */
type SelectingBatch = Exclude<Batch, { readonly action: 'restore' | 'undo' }>;

function toPlants({ tag, untagged, name, search, all }: Given, texts: readonly string[]): SelectingBatch['plants'] {
  const filter = {
    ...(tag === undefined ? {} : { tag }),
    ...(untagged === undefined ? {} : { untagged }),
    ...(name === undefined ? {} : { name }),
    ...(search === undefined ? {} : { search }),
    ...(all === undefined ? {} : { all }),
  };
  const hasFilter = Object.keys(filter).length > 0;
  if (hasFilter === texts.length > 0)
    throw new UsageError('Give either ids, or at least one of --tag, --untagged, --name, --search and --all');
  return hasFilter ? filter : parseIds(texts);
}

/** Asks first, if nobody can see which plants there will be, or if they will be gone. */
async function runChange(batch: SelectingBatch, verb: string, given: Given, context: CommandContext): Promise<void> {
  const { plants } = batch;
  if (!('length' in plants)) await confirm(`${verb} all plants that match?`, given, context);
  else if (batch.action === 'delete') await confirm(`${verb} ${toCount(plants.length, 'plant')}?`, given, context);
  await runBatch(batch, given, context);
}

async function runBatch(batch: Batch, given: Given, context: CommandContext): Promise<void> {
  const { group = toGroup(batch), json = false } = given;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(group))
    throw new UsageError('Cannot use --group: it must have 1 to 64 letters, digits, "_" and "-"');
  const { stderr } = context;
  const progress = new Progress(stderr, () => context.now());
  const signal = toStopSignal(context);
  const sent = { isBegun: false };
  const onProgress = ({ read }: BatchReport): void => {
    sent.isBegun = true;
    progress.update({ rows: read });
  };
  try {
    const send = (client: PlantClient): Promise<BatchReport> =>
      client.batch({ ...batch, group }, { onProgress, signal }).finally(() => progress.clear());
    print(await withClient(given, context, send), json, context);
  } catch (error) {
    if (signal.aborted) stderr.write('plant-store: Stopped. The service goes on with a batch that has begun.\n');
    else if (sent.isBegun) stderr.write(`To go on: add --group ${group} to the same command\n`);
    if (signal.aborted || sent.isBegun) stderr.write(toUndoHint(group));
    if (!signal.aborted) throw error;
    context.setExitCode(stoppedExitCode);
  }
}

function print({ errors, ...report }: BatchReport, json: boolean, context: CommandContext): void {
  const { stdout, stderr } = context;
  const { group, done, changed, unchanged, refused, expired = 0n } = report;
  for (const { id, error, message } of errors) stderr.write(`${id}: ${toPrintable(message)} (error ${error})\n`);
  const hidden = refused - BigInt(errors.length);
  if (hidden > 0n) stderr.write(`${toCount(hidden, 'more plant')} refused\n`);
  if (expired > 0n)
    stderr.write(
      `${toCount(expired, 'change')} not undone: the change log no longer has what the plants were before\n`,
    );
  if (refused > 0n || expired > 0n) context.setExitCode(refusedExitCode);
  if (json) {
    stdout.write(`${toJson({ ...report, errors })}\n`);
    return;
  }
  const others = `${unchanged.toLocaleString('en')} unchanged, ${refused.toLocaleString('en')} refused`;
  stdout.write(`${toCount(changed, 'plant')} changed, ${others}\n`);
  if (!done) stderr.write(`There are more: add --group ${group} to the same command to go on.\n`);
  if (changed > 0n) stderr.write(toUndoHint(group));
}
