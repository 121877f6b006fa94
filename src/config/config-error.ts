/** All errors of a configuration, one line each. Does not choose output or exit code. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One sentence each: what is invalid and what is expected. Never contains a secret. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}
