/** A connection to one host, with the settings that durability rests on, read back. */
import { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Client, types } from 'pg';
import type { HostAddress } from './database-url.ts';
import { LoginError, toLoginError } from './login-error.ts';
import { applicationName, selectBlocker, selectServerState, type ServerState, toServerState } from './server-state.ts';
import { type Parameters, sessionSql, settings, toOptions } from './session-settings.ts';

/** How to log in, on whichever host. */
export interface Login {
  readonly user: string;
  readonly database: string;
  /** Called for each connection, so that a changed password is taken from its file. */
  readonly readPassword: () => Promise<string>;
  readonly tls: ConnectionOptions | false;
  /** Longest time to connect, in milliseconds; the default is short, for requests wait for it. */
  readonly connectWithinMs?: number;
}

/** A statement that the server parses once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Rows {
  readonly rows: readonly (readonly unknown[])[];
  /** The tag of the command, such as `COMMIT`. */
  readonly command: string;
  readonly rowCount: number;
}

/**
 * The server warned during a statement: a commit may not have been replicated although it was
 * reported as successful.
 */
export class WarningError extends Error {
  override readonly name = 'WarningError';
}

/** Short, since requests wait for it; a server nearby connects within some ten milliseconds. */
const defaultConnectWithinMs = 1_000;
/** Nothing is pending then, so that a server that does not answer delays a stop by no more. */
const closeWithinMs = 1_000;
const int8Oid = 20;

export class Connection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #parameters: Parameters;
  #pending = 0;
  #lost: Error | undefined;
  #warning: WarningError | undefined;

  private constructor(client: Client, socket: Socket, parameters: Parameters) {
    this.#client = client;
    this.#socket = socket;
    this.#parameters = parameters;
    client.on('error', (error) => (this.#lost ??= error));
    client.on('end', () => (this.#lost ??= new Error('the connection was closed')));
  }

  /**
   * Resolves to a connection whose session is prepared.
   * @throws LoginError when the login must be set right first; what the driver throws when it
   * cannot be reached.
   */
  static async open({ host, port }: HostAddress, login: Login, changed: Partial<Parameters> = {}): Promise<Connection> {
    const parameters = { ...settings, ...changed };
    const { connectWithinMs = defaultConnectWithinMs } = login;
    const socket = new Socket();
    const client = new Client({
      host,
      port,
      user: login.user,
      database: login.database,
      password: () => readPassword(login),
      ssl: login.tls,
      application_name: applicationName,
      client_encoding: 'UTF8',
      options: toOptions(parameters),
      keepAlive: true,
      pipeline: true,
      stream: () => socket,
      types: { getTypeParser: toParser },
    });
    const connection = new Connection(client, socket, parameters);
    const late = new Error(`no connection to the database in ${connectWithinMs} ms`);
    const timer = setTimeout(() => socket.destroy(late), connectWithinMs);
    try {
      await client.connect().finally(() => clearTimeout(timer));
      // Not before: a warning of the login, such as one about collations, is not about a commit.
      client.on('notice', ({ code, message }) => {
        connection.#warning ??= new WarningError(`the server warned: ${code ?? ''} ${message ?? ''}`);
      });
      await connection.run(sessionSql, [], connectWithinMs);
    } catch (error) {
      socket.destroy();
      throw toLoginError(error, login.tls) ?? error;
    }
    return connection;
  }

  /** Statements that have not been answered yet. */
  get pending(): number {
    return this.#pending;
  }

  /** False once it was lost or the server warned. */
  get isUsable(): boolean {
    return this.#lost === undefined && this.#warning === undefined;
  }

  /**
   * Sends a statement at once, behind those that are not answered yet. After `timeoutMs` the
   * connection is destroyed: cancelling a statement could make a commit that is not replicated
   * look like a success.
   */
  async run(statement: Statement | string, values: readonly unknown[], timeoutMs: number): Promise<Rows> {
    if (this.#lost !== undefined) throw this.#lost;
    const timer = setTimeout(
      () => this.destroy(new Error(`no answer from the database in ${timeoutMs} ms`)),
      timeoutMs,
    );
    this.#pending += 1;
    try {
      const { rows, command, rowCount } = await this.#client.query({
        ...(typeof statement === 'string' ? { text: statement } : statement),
        values: [...values],
        rowMode: 'array',
      });
      if (this.#warning !== undefined) throw this.#warning;
      return { rows, command, rowCount: rowCount ?? 0 };
    } catch (error) {
      throw this.#reasonOf(error);
    } finally {
      this.#pending -= 1;
      clearTimeout(timer);
    }
  }

  /** The first reason for which statements fail; the driver reports the last. */
  #reasonOf(error: unknown): unknown {
    return this.#warning ?? (isDatabaseError(error) ? error : (this.#lost ?? error));
  }

  /** @throws UnusableServerError when the server must not be used at all. */
  async readState(timeoutMs: number): Promise<ServerState> {
    const { rows } = await this.run(selectServerState, [], timeoutMs);
    return toServerState(rows[0] ?? [], this.#parameters);
  }

  /**
   * Resolves to who holds a lock for which a session of the service waits; undefined when none
   * waits for somebody else.
   */
  async findBlocker(timeoutMs: number): Promise<string | undefined> {
    const { rows } = await this.run(selectBlocker, [], timeoutMs);
    return rows[0] === undefined ? undefined : String(rows[0][0]);
  }

  /**
   * Resolves when the synchronous standbys have all that was visible before the call: a commit
   * that waits for them is not visible, but after a crash it is.
   */
  async confirm(timeoutMs: number): Promise<void> {
    await this.run(`SELECT pg_logical_emit_message(true, 'plant-store', '')`, [], timeoutMs);
  }

  /** Resolves when the server has closed too, or does not answer. Nothing may be pending. */
  async close(): Promise<void> {
    this.#lost ??= new Error('the connection was closed');
    const timer = setTimeout(() => this.#socket.destroy(), closeWithinMs);
    await this.#client.end();
    clearTimeout(timer);
  }

  /** Gives up on the connection; what is pending fails with `reason`. */
  destroy(reason: Error): void {
    this.#lost ??= reason;
    this.#socket.destroy();
  }
}

function isDatabaseError(error: unknown): boolean {
  return error instanceof Error && 'severity' in error;
}

/** int8 as bigint: a double would round it. Everything else as `pg` does. */
const toParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8Oid ? BigInt : (getTypeParser(oid, format) as (text: string) => unknown);
const getTypeParser = types.getTypeParser as (oid: number, format?: string) => unknown;

/** Called when the server asks for a password. */
async function readPassword(login: Login): Promise<string> {
  const password = await login.readPassword();
  if (password === '')
    throw new LoginError('the server asks for a password; name a file with it in DATABASE_PASSWORD_FILE');
  return password;
}
