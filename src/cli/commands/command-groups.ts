/** All commands except `serve` and `demo`, in the order of the help. */
import type { CommandDefinition } from '../inputs/add-command.ts';
import { backupCommand } from './backup.ts';
import { batchCommands } from './batch.ts';
import { checkCommand } from './check.ts';
import { copyCommand } from './copy.ts';
import { deleteCommand } from './delete.ts';
import { exportCommand } from './export.ts';
import { getCommand } from './get.ts';
import { historyCommand } from './history.ts';
import { importCommand } from './import.ts';
import { listCommand } from './list.ts';
import { mcpCommand } from './mcp.ts';
import { migrateCommand } from './migrate.ts';
import { patchCommand } from './patch.ts';
import { putCommand } from './put.ts';
import { restoreCommand } from './restore.ts';
import { tagsCommand } from './tags.ts';
import { tokenCreateCommand } from './token-create.ts';
import { tokenListCommand } from './token-list.ts';
import { tokenRevokeCommand } from './token-revoke.ts';
import { watchCommand } from './watch.ts';
import { webhookListenCommand } from './webhook-listen.ts';

export interface CommandGroup {
  /** In the help. */
  readonly heading: string;
  /** A word in front of each command. */
  readonly word?: { readonly name: string; readonly summary: string; readonly note?: string };
  readonly commands: readonly CommandDefinition[];
}

export const commandGroups: readonly CommandGroup[] = [
  {
    heading: 'Plants:',
    commands: [
      listCommand,
      getCommand,
      putCommand,
      patchCommand,
      deleteCommand,
      tagsCommand,
      importCommand,
      exportCommand,
      mcpCommand,
    ],
  },
  {
    heading: 'Plants:',
    word: { name: 'batch', summary: 'Change many plants with one request' },
    commands: batchCommands,
  },
  { heading: 'Changes:', commands: [watchCommand, historyCommand] },
  {
    heading: 'Changes:',
    word: { name: 'webhook', summary: 'Receive webhooks on this machine' },
    commands: [webhookListenCommand],
  },
  {
    heading: 'Access:',
    word: { name: 'token', summary: 'Create, list and revoke tokens', note: 'Works while the service runs.' },
    commands: [tokenCreateCommand, tokenListCommand, tokenRevokeCommand],
  },
  {
    heading: 'Maintenance:',
    commands: [backupCommand, restoreCommand, checkCommand, migrateCommand, copyCommand],
  },
];
