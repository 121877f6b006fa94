/** Compares generated files with their expected content. Writes nothing. */

export interface GeneratedFile {
  /** Relative to the project's root, with slashes. */
  readonly path: string;
  /** Renders the expected content. */
  readonly render: () => string | Promise<string>;
}

export interface StaleFile {
  readonly path: string;
  /** The expected content. */
  readonly text: string;
}

/**
 * Returns the files that are missing or differ.
 * @param read rejects with `ENOENT` for a missing file.
 */
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
