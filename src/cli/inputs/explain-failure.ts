/** Failures of the client in words of the command line: what is wrong with what was typed, and what to do. */
import { ConnectionError, PlantStoreError } from '../../client/errors.ts';
import { codeOf, findAddressProblem, mayHaveBeenExecuted } from '../../client/retry.ts';
import { errors } from '../../domain/error-registry.ts';

/** A command's own message for what the service refuses, by the number of the error. */
export type Refusals = Readonly<Record<number, string>>;

/** @param tokenSource where the token comes from. */
export function explainFailure(
  error: unknown,
  { url, tokenSource }: { readonly url: string; readonly tokenSource: string },
  refusals: Refusals,
): unknown {
  if (error instanceof ConnectionError)
    return new ConnectionError(error.kind, error.message + toConnectionHint(error, url), error.cause, error.hasBegun);
  if (!(error instanceof PlantStoreError)) return error;
  const hint =
    error.number === errors.token_invalid.number
      ? `: it comes from ${tokenSource}. On the machine of the service, "plant-store token list" shows the tokens, and "plant-store token create" makes one`
      : error.number === errors.path_unknown.number
        ? ': does the address of --url include the base path?'
        : '';
  return new Error(refusals[error.number] ?? `${error.message}${hint} (error ${error.number})`, { cause: error });
}

function toConnectionHint(error: ConnectionError, url: string): string {
  const problem = findAddressProblem(error.cause);
  if (problem === 'untrusted')
    return '. Set NODE_EXTRA_CA_CERTS to the file with the certificate of the CA that signed it';
  if (problem === 'port') return '. HTTP clients refuse this port: use another one';
  if (problem !== undefined) return '';
  if (!mayHaveBeenExecuted(error, 'harmless'))
    return '. It may not be running: "plant-store serve" starts it; --url names another address';
  // A service that has begun to answer is at this address.
  const isClosed = !error.hasBegun && ['UND_ERR_SOCKET', 'ECONNRESET'].includes(codeOf(error.cause) ?? '');
  return isClosed && /^http:/i.test(url) ? '. If the service uses TLS, its address begins with https://' : '';
}

/** Whether there surely was no connection. */
export function isUnreached(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && !mayHaveBeenExecuted(error, 'harmless');
}

/** For commands that change a plant: the service speaks of header fields, which nobody typed. */
export function toRefusals(command: 'put' | 'patch', id: bigint, ifMatch: string | undefined): Refusals {
  const toMessage = (reason: string): string => `Cannot ${command} plant ${id}: ${reason}`;
  const absent = toMessage('no plant has this id');
  const changed = toMessage(`it was changed or deleted since that version; read it again with "plant-store get ${id}"`);
  const unmet = ifMatch === undefined ? toMessage('it exists already') : ifMatch === '*' ? absent : changed;
  return { [errors.plant_unknown.number]: absent, [errors.precondition_failed.number]: unmet };
}
