/** What the judge knows of a client: how it is generated, compiled and started. */
export interface Client {
  readonly language: string;
  readonly generator: string;
  readonly version: string;
  /** What is given to the generator, for the page. */
  readonly settings: string;
  /** Programs that the machine must have. */
  readonly needs: readonly string[];
  /** Lines for a shell, in a folder with `openapi.json` and the program; the code goes to `client/`. */
  readonly build: readonly string[];
  readonly run: string;
  /** The files of the program, in drivers/. */
  readonly files: readonly string[];
  /** Reports to the project of the generator, by the name of a call. */
  readonly issues?: Readonly<Record<string, string>>;
  /** Finds the function of an operation in the path and the text of a file. */
  readonly toPattern: (operationId: string) => RegExp;
}

/** Converts an operation id to snake case, as most languages write names of functions. */
export function toSnake(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toPascal(id: string): string {
  return id.slice(0, 1).toUpperCase() + id.slice(1);
}
