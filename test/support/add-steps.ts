/** Makes this process the version after the next one: with more steps of a schema, until the test ends. */
import type { TestContext } from 'node:test';

export function addSteps<Step>(t: TestContext, schemaSteps: readonly Step[], ...added: readonly Step[]): void {
  const steps = schemaSteps as Step[];
  const { length } = steps;
  steps.push(...added);
  t.after(() => steps.splice(length));
}
