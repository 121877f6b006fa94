/** All errors of a configuration, one line each. Does not choose output or exit code. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One sentence each: what is invalid and what is expected. Never contains a secret. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
