/** The last line of a command that has changed many plants: how to undo it. */
export function toUndoHint(group: string): string {
  return `To undo: plant-store batch undo ${group}\n`;
}
