/** Compares what the generated files hold with what they should hold. Nothing is written here. */

export interface GeneratedFile {
  /** From the root of the project, with slashes. */
  readonly path: string;
  /** The whole text that the file should hold. */
  readonly render: () => string | Promise<string>;
}

export interface StaleFile {
  readonly path: string;
  /** What it should hold. */
  readonly text: string;
}

/** The files that are missing or hold another text. @param read rejects with `ENOENT` for a missing file. */
export async function findStaleFiles(
  files: readonly GeneratedFile[],
  read: (path: string) => Promise<string>,
): Promise<StaleFile[]> {
  const stale: StaleFile[] = [];
  for (const { path, render } of files) {
    const text = await render();
    const found = await read(path).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found !== text) stale.push({ path, text });
  }
  return stale;
}
