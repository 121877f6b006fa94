/**
 * What a traced process did to the files below one folder, as a list of events in the order in which they began.
 * Which of it survives a loss of power is decided in disk.ts.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Content } from './content.ts';
import { type Call, parseTrace, readTexts } from '../parse-trace.ts';

/** The flags with which the trace must be taken. */
export const recordingFlags = [
  '--follow-forks',
  '--seccomp-bpf',
  '--decode-fds=path,socket',
  '--string-limit=1048576',
  `--trace=${[
    'open,openat,creat,write,writev,pwrite64,pwritev,pwritev2,sendto,sendmsg,ftruncate,truncate,fallocate',
    'fsync,fdatasync,sync_file_range,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir',
    'copy_file_range,sendfile',
  ].join()}`,
];

/** A file apart from its names. */
export type FileId = number;

/** `end` is where the call has certainly had its effect. */
export type DiskEvent = { readonly at: number; readonly end: number } & (
  | { readonly kind: 'write'; readonly file: FileId; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'resize'; readonly file: FileId; readonly size: number }
  | { readonly kind: 'sync'; readonly file: FileId }
  | { readonly kind: 'name'; readonly path: string; readonly file: FileId | 'folder' }
  | { readonly kind: 'unname'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly file: FileId | 'folder' }
  | { readonly kind: 'sync-folder'; readonly path: string }
  /** Bytes left through a socket or a pipe. */
  | { readonly kind: 'send'; readonly text: string }
);

export interface Recording {
  readonly root: string;
  /** What was there, and on disk, before the process started. */
  readonly names: ReadonlyMap<string, FileId | 'folder'>;
  readonly contents: ReadonlyMap<FileId, Buffer>;
  readonly events: readonly DiskEvent[];
}

/** Everything below a folder as it is now. */
export interface Before {
  readonly names: ReadonlyMap<string, FileId | 'folder'>;
  readonly contents: ReadonlyMap<FileId, Buffer>;
}

/** Reads all files below a folder, before the traced process starts. */
export function readBefore(root: string): Before {
  const names = new Map<string, FileId | 'folder'>();
  const contents = new Map<FileId, Buffer>();
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const path = join(root, name);
    const file = names.size;
    names.set(path, statSync(path).isDirectory() ? 'folder' : file);
    if (names.get(path) === file) contents.set(file, readFileSync(path));
  }
  return { names, contents };
}

/** @throws Error when the trace holds a call that changes a file in a way that is not known here. */
export function toRecording(root: string, before: Before, trace: string): Recording {
  const reader = new TraceReader(root, before);
  for (const call of parseTrace(trace)) reader.read(call);
  return { root, ...before, events: reader.events };
}

class TraceReader {
  readonly events: DiskEvent[] = [];
  readonly #root: string;
  readonly #names: Map<string, FileId | 'folder'>;
  /** The contents as the process sees them. */
  readonly #contents: Map<FileId, Content>;
  /** Where the next `write` to a descriptor goes. */
  readonly #positions = new Map<string, number>();
  #nextFile = 1_000_000;

  constructor(root: string, { names, contents }: Before) {
    this.#root = root;
    this.#names = new Map(names);
    this.#contents = new Map([...contents].map(([file, bytes]) => [file, new Content(bytes)]));
  }

  read(call: Call): void {
    const { name, args, begin: at, end, result } = call;
    if (result === undefined && end !== Infinity) return;
    const span = { at, end };
    const [, descriptor = '', path = ''] = /^(\d+)<([^>]*)>/.exec(args) ?? [];
    const file = this.#names.get(path);
    switch (name) {
      case 'open':
      case 'openat':
      case 'creat':
        this.#open(call);
        return;
      case 'pwrite64':
      case 'write': {
        if (typeof file !== 'number') {
          if (name === 'write') this.#send(call);
          return;
        }
        const [data = Buffer.alloc(0)] = readTexts(args);
        const [, offsetText] = /, \d+, (\d+)\)/.exec(args.slice(-80)) ?? [];
        const offset = name === 'write' ? (this.#positions.get(descriptor) ?? 0) : Number(offsetText);
        const written = data.subarray(0, result ?? data.length);
        if (name === 'write') this.#positions.set(descriptor, offset + written.length);
        this.#write(span, file, offset, written);
        return;
      }
      case 'writev':
      case 'sendto':
      case 'sendmsg':
        if (typeof file === 'number') break;
        this.#send(call);
        return;
      case 'ftruncate': {
        if (typeof file !== 'number') return;
        const size = Number(/, (\d+)\)/.exec(args)?.[1]);
        this.events.push({ ...span, kind: 'resize', file, size });
        this.#contents.get(file)?.resize(size);
        return;
      }
      case 'fsync':
      case 'fdatasync':
        if (typeof file === 'number') this.events.push({ ...span, kind: 'sync', file });
        else if (file === 'folder' || path === this.#root) this.events.push({ ...span, kind: 'sync-folder', path });
        return;
      case 'rename':
      case 'renameat':
      case 'renameat2':
      case 'link':
      case 'linkat': {
        const [from = '', to = ''] = readTexts(args).map(String);
        const moved = this.#names.get(from);
        if (moved === undefined) return;
        const isLink = name.startsWith('link');
        this.#names.set(to, moved);
        if (!isLink) this.#names.delete(from);
        this.events.push(
          isLink
            ? { ...span, kind: 'name', path: to, file: moved }
            : { ...span, kind: 'rename', from, to, file: moved },
        );
        return;
      }
      case 'unlink':
      case 'unlinkat':
      case 'rmdir': {
        const [gone = ''] = readTexts(args).map(String);
        if (this.#names.delete(gone)) this.events.push({ ...span, kind: 'unname', path: gone });
        return;
      }
      case 'mkdir':
      case 'mkdirat': {
        const [made = ''] = readTexts(args).map(String);
        if (this.#isOurs(made)) this.#name(span, made, 'folder');
        return;
      }
      case 'copy_file_range':
      case 'sendfile':
        this.#copy(call);
        return;
    }
    if (typeof file === 'number') throw new Error(`The recording does not know ${name}(${args.slice(0, 200)}`);
  }

  #open({ args, begin: at, end }: Call): void {
    const [, descriptor = '', path = ''] = /= (\d+)<([^>]*)>$/.exec(args) ?? [];
    this.#positions.set(descriptor, 0);
    if (!this.#isOurs(path)) return;
    const file = this.#names.get(path);
    if (file === undefined && /O_CREAT|^creat/.test(args)) {
      this.#nextFile += 1;
      this.#contents.set(this.#nextFile, new Content());
      this.#name({ at, end }, path, this.#nextFile);
    } else if (typeof file === 'number' && args.includes('O_TRUNC')) {
      this.#contents.get(file)?.resize(0);
      this.events.push({ at, end, kind: 'resize', file, size: 0 });
    }
  }

  #name(span: { at: number; end: number }, path: string, file: FileId | 'folder'): void {
    this.#names.set(path, file);
    this.events.push({ ...span, kind: 'name', path, file });
  }

  #write(span: { at: number; end: number }, file: FileId, offset: number, data: Buffer): void {
    this.events.push({ ...span, kind: 'write', file, offset, data });
    this.#contents.get(file)?.write(offset, data);
  }

  /** A copy within the kernel, of a whole file from its start on. */
  #copy({ name, args, begin: at, end, result = 0 }: Call): void {
    const paths = [...args.matchAll(/(\d+)<([^>]*)>/g)].map(([, descriptor = '', path = '']) => ({ descriptor, path }));
    const [target, source] = name === 'sendfile' ? [paths[0], paths[1]] : [paths[1], paths[0]];
    const [to, from] = [this.#names.get(target?.path ?? ''), this.#names.get(source?.path ?? '')];
    if (typeof to !== 'number' || result === 0) return;
    if (typeof from !== 'number') throw new Error(`The recording does not know the source of ${name}(${args}`);
    const offset = this.#positions.get(target?.descriptor ?? '') ?? 0;
    const data = this.#contents.get(from)?.read(offset, offset + result) ?? Buffer.alloc(0);
    this.#positions.set(target?.descriptor ?? '', offset + data.length);
    this.#write({ at, end }, to, offset, data);
  }

  #send({ args, begin: at, end }: Call): void {
    // Threads wake one another through these.
    if (/^\d+<(?:anon_inode|pipe):.*, [18]\)/.test(args)) return;
    this.events.push({ at, end, kind: 'send', text: args });
  }

  #isOurs(path: string): boolean {
    return path.startsWith(`${this.#root}/`) && !dirname(path).startsWith(`${this.#root}/.`);
  }
}
