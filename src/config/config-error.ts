/** Every fault of a configuration at once, one line each. How it is shown, and the exit code, are not decided here. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One sentence each: what cannot be used, and what is wanted. Never a secret. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}
