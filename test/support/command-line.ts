/** The command lines of the long runs: crash, failover, bench. One that cannot be used ends the process with one line and exit code 2. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The parsed arguments of this process. `--help` prints the text and ends the process. */
export function readArguments<Config extends ParseArgsConfig>(
  config: Config,
  help: string,
): ReturnType<typeof parseArgs<Config>> {
  let parsed: ReturnType<typeof parseArgs<Config>>;
  try {
    parsed = parseArgs(config);
  } catch (error) {
    return refuse((error instanceof Error ? error.message : String(error)).replaceAll('\n', ' '));
  }
  if ('help' in parsed.values && parsed.values['help'] === true) {
    console.log(help);
    process.exit(0);
  }
  return parsed;
}

export function readCount(name: string, text: string, min = 1): number {
  const count = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(count) || count < min)
    refuse(`${name} must be a whole number from ${min} on`);
  return count;
}

export function readChoice<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  return choices.find((choice) => choice === text) ?? refuse(`${name} must be one of ${choices.join(', ')}`);
}

export function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}
