/**
 * A sandbox: every token has a space of its own, a store in memory that begins with the same
 * plants. What HTTP needs of it, in place of one store.
 */
import { ServiceError } from '../domain/errors.ts';
import type { Webhooks } from '../domain/webhooks.ts';
import type { HttpDeps } from '../http/routes.ts';
import { parseSandboxToken } from './sandbox-token.ts';
import { Spaces } from './spaces.ts';

type SandboxDeps = Pick<HttpDeps, 'findSpace' | 'authenticator' | 'webhooks'> & { readonly isSandbox: true };

export interface Sandbox extends SandboxDeps {
  close(): Promise<void>;
}

/** @param shutdown ends all followers. */
export function openSandbox(shutdown: AbortSignal): Sandbox {
  const spaces = new Spaces(shutdown);
  return {
    isSandbox: true,
    findSpace: ({ principal }) => spaces.find(principal?.tokenId),
    authenticator: {
      find: (token, { socket }) => {
        const found = parseSandboxToken(token);
        return found === undefined ? undefined : { ...found, limitKey: socket.remoteAddress ?? '' };
      },
    },
    webhooks: noWebhooks,
    close: () => spaces.close(),
  };
}

const refuse = (): Promise<never> => Promise.reject(new ServiceError('scope_missing'));

/** Never called: no token has the scope. */
const noWebhooks: Webhooks = {
  create: refuse,
  update: refuse,
  delete: refuse,
  rotateSecret: refuse,
  test: refuse,
  retry: refuse,
};
