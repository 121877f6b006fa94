/** Turns flags and environment into a Config, or reports all errors at once. Pure. */
import { UsageError } from './usage-error.ts';
import { findNearest } from './find-nearest.ts';
import { isWeakInitialToken, weakInitialToken } from './initial-token.ts';
import { clientVariables, optionNames, options } from './options.ts';
import type { Option, OptionName } from './options.ts';
import { valueTypes } from './value-types.ts';

/** Flags as given: `{ '--port': '0' }`. Undefined if not given. */
export type Flags = Readonly<Record<string, string | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

type Row<Name extends OptionName> = (typeof options)[Name];
type Value<Name extends OptionName> =
  Row<Name> extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Exclude<ReturnType<(typeof valueTypes)[Row<Name>['type']]['parse']>, undefined>;

/** Options by name; sizes in bytes, durations in ms. Undefined only without a default. */
type Values = {
  readonly [Name in OptionName]: Row<Name> extends { readonly default: string } ? Value<Name> : Value<Name> | undefined;
};

export interface Config extends Values {
  /** Lines about variables that are not used; see `shared` of an option. */
  readonly warnings: readonly string[];
}

/**
 * Reads all options. Flags override environment variables; an empty variable counts as unset.
 * @throws UsageError with one line per error, all errors at once.
 */
export function loadConfig(flags: Flags, env: Environment): Config {
  const warnings: string[] = [];
  return { ...loadOptions(optionNames, flags, env, (warning) => warnings.push(warning)), warnings };
}

/**
 * Reads only the named options, for commands that need no others: an invalid PORT does not stop
 * `token list`. Also reports misspelt `PLANT_STORE_*` variables and unknown flags.
 * @param warn called with a line about a variable that is not used.
 * @throws UsageError like `loadConfig`.
 */
export function loadOptions<Name extends OptionName>(
  names: readonly Name[],
  flags: Flags,
  env: Environment,
  warn: (warning: string) => void = () => undefined,
): Pick<Values, Name> {
  const values: Partial<Record<OptionName, unknown>> = {};
  const problems: string[] = [];
  for (const name of names) {
    const option: Option = options[name];
    const given = findGiven(option, flags, env);
    const text = given?.text ?? option.default;
    if (text === undefined) continue;
    const type = valueTypes[option.type];
    const value = type.parse(text, option);
    const problem = `Cannot use ${given?.source ?? name}${toShown(text, option)}: must be ${type.wanted(option)}`;
    if (value !== undefined) values[name] = value;
    else if (option.shared === true && option.default !== undefined && given?.source === option.env) {
      values[name] = type.parse(option.default, option);
      warn(`${problem}; using ${option.default}`);
    } else problems.push(problem);
  }
  problems.push(
    ...findUnknownFlags(flags),
    ...findUnknownVariables(env),
    ...findContradictions(values as Partial<Config>, flags),
  );
  if (problems.length > 0) throw new UsageError(...problems);
  // Without errors each name has its parsed value, or may be undefined.
  return values as Pick<Values, Name>;
}

function findGiven(option: Option, flags: Flags, env: Environment): { source: string; text: string } | undefined {
  const flag = flags[option.flag];
  if (flag !== undefined) return { source: option.flag, text: flag };
  const variable = readVariable(env, option.env);
  return variable === undefined ? undefined : { source: option.env, text: variable };
}

/**
 * Returns the text of a variable; undefined if it is unset or empty. Removes one line end from its
 * end: tools that store secrets often add one.
 */
export function readVariable(env: Environment, name: string): string | undefined {
  const text = env[name]?.replace(/\r?\n$/, '');
  return text === '' ? undefined : text;
}

/** Returns ` "abc"` on one line, truncated if long; nothing for a secret. */
function toShown(text: string, option: Option): string {
  if (option.secret === true) return '';
  return ` ${JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text)}`;
}

function findUnknownFlags(flags: Flags): string[] {
  const known: string[] = Object.values(options).map((option) => option.flag);
  return Object.keys(flags)
    .filter((flag) => flags[flag] !== undefined && !known.includes(flag))
    .map((flag) => toUnknown(flag, findNearest(flag, known, '--')));
}

function findUnknownVariables(env: Environment): string[] {
  const known: string[] = [...Object.values(options).map((option) => option.env), ...clientVariables];
  return Object.keys(env)
    .filter((name) => {
      const text = name.startsWith('PLANT_STORE_') ? readVariable(env, name) : undefined;
      return text !== undefined && !known.includes(name) && !isOfServiceLink(name, text);
    })
    .map((name) => toUnknown(name, findNearest(name, known, 'PLANT_STORE_')));
}

/** Variables that name the host, port and protocol of a service. */
const serviceLinks =
  /^PLANT_STORE_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;

/**
 * Returns whether Kubernetes sets the variable, in every pod beside a Service named
 * `plant-store` or `plant-store-…`
 * (kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
 */
function isOfServiceLink(name: string, text: string): boolean {
  return serviceLinks.test(name) || (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(text));
}

function toUnknown(name: string, nearest: string | undefined): string {
  return `Cannot use ${name}: there is no such option${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

/** Finds options that are valid alone but not together. */
function findContradictions(values: Partial<Config>, flags: Flags): string[] {
  const problems: string[] = [];
  const both = (left: OptionName, right: OptionName): string => `${toNames(left)} and ${toNames(right)}`;
  if ((values.tlsCertFile === undefined) !== (values.tlsKeyFile === undefined)) {
    problems.push(`Cannot use ${both('tlsCertFile', 'tlsKeyFile')}: must be both set, or neither`);
  }
  if ((values.oidcIssuer === undefined) !== (values.oidcAudience === undefined)) {
    problems.push(`Cannot use ${both('oidcIssuer', 'oidcAudience')}: must be both set, or neither`);
  }
  if (values.initialToken !== undefined && values.initialTokenFile !== undefined) {
    problems.push(`Cannot use ${both('initialToken', 'initialTokenFile')}: must not be both set`);
  }
  problems.push(...findMissingDatabase(values, flags));
  problems.push(...findUnused(values, flags));
  const { host, initialToken } = values;
  if (host !== undefined && initialToken !== undefined && isWeakInitialToken(initialToken, host))
    problems.push(`Cannot use ${both('initialToken', 'host')}: ${weakInitialToken}`);
  const { headersTimeoutMs = 0, requestTimeoutMs = Infinity } = values;
  if (headersTimeoutMs > requestTimeoutMs) {
    problems.push(
      `Cannot use ${both('headersTimeoutMs', 'requestTimeoutMs')}: the first must not be longer than the second`,
    );
  }
  return problems;
}

/** Finds options of a database where none is named: the service would use an empty folder. */
function findMissingDatabase(values: Partial<Config>, flags: Flags): string[] {
  // A folder named by a flag overrides what the environment says about a database.
  const isFolderWanted = flags[options.dataDir.flag] !== undefined;
  if (values.databaseUrl !== undefined && (!isFolderWanted || flags[options.databaseUrl.flag] !== undefined)) return [];
  return (['databasePasswordFile', 'migrate'] as const)
    .filter((name) => values[name] !== undefined && values[name] !== false)
    .filter((name) => !isFolderWanted || flags[options[name].flag] !== undefined)
    .map((name) => `Cannot use ${toNames(name)} without a database: name one with ${toNames('databaseUrl')}`);
}

/** Options that a sandbox does not have, and options that only a sandbox has. */
const notOfSandbox = ['dataDir', 'databaseUrl', 'databasePasswordFile', 'migrate', 'rateLimit', 'metricsPort'] as const;
const ofSandbox = optionNames.filter((name) => name.startsWith('sandbox') && name !== 'sandbox');

/** Finds flags that have no effect. A variable may be there for another command. */
function findUnused(values: Partial<Config>, flags: Flags): string[] {
  const { sandbox } = values;
  if (sandbox === undefined) return [];
  const names: readonly OptionName[] = sandbox ? notOfSandbox : ofSandbox;
  const how = sandbox ? 'with' : 'without';
  return names
    .filter((name) => values[name] !== undefined && flags[options[name].flag] !== undefined)
    .map((name) => `Cannot use ${options[name].flag} ${how} ${toNames('sandbox')}`);
}

function toNames(name: OptionName): string {
  return `${options[name].flag} (${options[name].env})`;
}
