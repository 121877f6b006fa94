/** A row of the table of options -> an option of the parser and of help. */
import { Option as CommandOption } from 'commander';
import type { Option } from '../../config/options.ts';
import { valueTypes } from '../../config/value-types.ts';

/** The default is shown but not handed on: a flag that is not given must not beat the environment. */
export function toCommandOption(option: Option): CommandOption {
  const fallback = option.default === undefined || option.default === '' ? '' : `, default: ${option.default}`;
  const choices = option.choices === undefined ? '' : `, one of: ${option.choices.join(', ')}`;
  const { argument } = valueTypes[option.type];
  return new CommandOption(
    argument === undefined ? option.flag : `${option.flag} <${argument}>`,
    `${option.help} (env: ${option.env}${fallback}${choices})`,
  ).helpGroup(`${option.group}:`);
}
