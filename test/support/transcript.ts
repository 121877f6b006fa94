/** What a program has written so far, and who waits for a part of it. */
import type { ChildProcess } from 'node:child_process';

export class Transcript {
  text = '';
  #end: string | undefined;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #seekers = new Set<() => void>();

  add(part: string | Uint8Array): void {
    this.text += typeof part === 'string' ? part : this.#decoder.decode(part, { stream: true });
    for (const look of this.#seekers) look();
  }

  /** No more comes. @param how it ended. */
  end(how: string): void {
    this.#end = how;
    for (const look of this.#seekers) look();
  }

  /** Resolves to what `seek` finds in the text, now or later. Rejects with the text if the program ends without it. */
  find<Found>(seek: (text: string) => Found): Promise<Exclude<Found, false | undefined | null>> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = seek(this.text);
        const isFound = found !== undefined && found !== false && found !== null;
        if (!isFound && this.#end === undefined) return;
        this.#seekers.delete(look);
        if (isFound) resolve(found as Exclude<Found, false | undefined | null>);
        else reject(new Error(`It ended (${this.#end}) without it:\n${this.text}`));
      };
      this.#seekers.add(look);
      look();
    });
  }
}

/** The output of a process, and why it did not start. */
export function transcribe(child: ChildProcess): Transcript {
  const transcript = new Transcript();
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => transcript.add(bytes));
  child.on('error', ({ message }) => transcript.add(message));
  child.on('close', (code, signal) => transcript.end(String(code ?? signal)));
  return transcript;
}
