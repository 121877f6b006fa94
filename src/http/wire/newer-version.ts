/**
 * Processes a request of HTTP/1.2 or a later minor version as HTTP/1.1 (RFC 9110, section 2.5).
 * Node's parser refuses it, so a second parser gets its bytes with a known version. It is the last
 * request of its connection.
 */
import { METHODS, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [^ ]+ HTTP\/(\d)\.(\d)\r?$/;

/**
 * Returns the major version of the request line where the parser stopped; undefined if there is
 * none.
 */
export function majorVersionAt(packet: Buffer, position: number): number | undefined {
  const [, major] = requestLine.exec(lineAt(packet, position).text) ?? [];
  return major === undefined ? undefined : Number(major);
}

/**
 * Returns whether the request where the parser stopped has a known method. The parser has accepted it:
 * otherwise the end of a body stands before it in its line, and cannot be told from it.
 */
export function hasKnownMethod(packet: Buffer, position: number): boolean {
  const { text } = lineAt(packet, position);
  return METHODS.includes(text.slice(0, text.indexOf(' ')));
}

/** Parses the request where the parser stopped. Call after all earlier replies. */
export function parseAsCurrent(server: Server, socket: Socket, packet: Buffer, position: number): void {
  const { start, text } = lineAt(packet, position);
  const bytes = Buffer.from(packet.subarray(start));
  bytes[text.lastIndexOf('.') + 1] = 0x31;
  const stream = new Reparsed(socket);
  stream.push(bytes);
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', stream);
}

/** Returns whether the connection is one of `parseAsCurrent`. */
export function isReparsed(socket: Socket): boolean {
  return socket instanceof Reparsed;
}

function lineAt(packet: Buffer, position: number): { readonly start: number; readonly text: string } {
  const lineStart = packet.subarray(0, position).lastIndexOf(0x0a) + 1;
  const end = packet.indexOf(0x0a, lineStart);
  const line = packet.toString('latin1', lineStart, end === -1 ? lineStart : end);
  // A body may end in the same line: the method begins after the last character that is invalid in
  // one.
  const [before = ''] = /^[^ ]*[^!#$%&'*+.^_`|~0-9A-Za-z -]/.exec(line.slice(0, position - lineStart)) ?? [];
  return { start: lineStart + before.length, text: line.slice(before.length) };
}

/** A connection for a second parser; the first one gets no more of its bytes. */
class Reparsed extends Duplex {
  readonly #socket: Socket;
  readonly remoteAddress: string | undefined;

  constructor(socket: Socket) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress;
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('close', () => this.destroy());
  }

  resetAndDestroy(): void {
    this.#socket.destroy();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
