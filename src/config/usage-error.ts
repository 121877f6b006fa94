/** Flags, arguments or variables that cannot be used. Ends the program with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** One sentence each: what is invalid and what is expected. Never contains a secret. */
  readonly problems: readonly string[];

  constructor(...problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
