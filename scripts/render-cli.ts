/** Renders docs/reference/cli.md from the help of every command, 100 columns wide. */
import type { Command } from 'commander';
import type { CommandContext } from '../src/cli/command-context.ts';
import { commandGroups } from '../src/cli/commands/command-groups.ts';
import { buildProgram } from '../src/cli/program.ts';

const head = `<!-- Generated from the commands' own help by npm run generate. Do not edit. -->

# Command line

In a clone, write \`npm run -s plant-store --\` where this page says \`plant-store\`. Relative file names then start in the folder of the
clone, also if you are in a folder below it.

| exit code | meaning |
| --------- | ------- |
| 0 | Done. |
| 1 | It failed: one line on stderr says why. |
| 2 | The command line or the configuration is invalid: one line on stderr for each error. |
| 3 | \`import\`, \`batch\`: some rows or plants were refused, one line on stderr for each; the others are stored or changed. |
| 130 | \`import\`, \`export\`, \`batch\`: stopped by SIGINT, SIGTERM or SIGHUP; stderr says how to continue. |

Output has no colors if the variable \`NO_COLOR\` is set. Commands that delete several plants or overwrite a file ask for confirmation at a
terminal; in scripts they need \`--yes\`. \`backup\` does not ask: it replaces an existing file, so that it can run every night under
one name. It refuses to replace one that has more than twice as many plants as the store.
`;

export function renderCli(): string {
  return [head, ...toSections(buildProgram(context, commandGroups), 'plant-store')].join('\n');
}

function toSections(command: Command, name: string): string[] {
  let help = '';
  // Includes the examples, which follow the help.
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  const section = [`## ${name}`, '', '```text', help.trim().replaceAll(/[ \t]+$/gm, ''), '```', ''].join('\n');
  return [section, ...command.commands.flatMap((child) => toSections(child, `${name} ${child.name()}`))];
}

function refuse(): never {
  throw new Error('Cannot run a command: only its help is wanted here');
}

/** A context without effects: help needs none. */
const context: CommandContext = {
  get stdin() {
    return refuse();
  },
  stdout: { fd: 1, isTTY: false, columns: 100, write: refuse, writeAll: refuse },
  stderr: { fd: 2, isTTY: false, columns: 100, write: refuse, writeAll: refuse },
  env: {},
  cwd: '/',
  version: '',
  now: refuse,
  setExitCode: refuse,
  exitNow: refuse,
  onStopSignal: refuse,
  onReload: refuse,
  onCrash: refuse,
};
