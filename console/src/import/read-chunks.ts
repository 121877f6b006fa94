/** The bytes of a file as they are read, then undefined: what reads them may still have a row. */
export async function* readChunks(file: Blob): AsyncGenerator<Uint8Array | undefined, void, undefined> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value } = await reader.read();
      yield value;
      if (value === undefined) return;
    }
  } finally {
    await reader.cancel();
  }
}
