/** The log of a service, which also reports its crash. */
import type { Config } from '../../config/load-config.ts';
import { type Log, openLog } from '../../observe/log.ts';
import { type CommandContext, hasColors } from '../command-context.ts';

export async function openServiceLog(config: Config, context: CommandContext): Promise<Log> {
  const log = await openLog({
    level: config.logLevel,
    format: config.logFormat,
    destination: context.stdout,
    hasColors: hasColors(context),
  });
  context.onCrash((error) => {
    log.fatal({ error }, 'The service crashed');
    log.flushSync();
    context.exitNow(1);
  });
  for (const warning of config.warnings) log.warn(warning);
  return log;
}
