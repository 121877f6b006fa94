/** The service beside a real OpenID provider: a client of it creates plants, is named in the change log, and is revoked. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it, type TestContext } from 'node:test';
import { runCli } from '../cli/run-cli.ts';
import { listen } from '../support/listen.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const secret = 'secret-of-the-shop';

/** Starts a provider with one client, `shop`. Resolves to its URL. */
async function startProvider(t: TestContext): Promise<string> {
  const server = createServer();
  const url = `http://127.0.0.1:${await listen(t, server)}`;
  // The provider warns of its defaults, and of a Node version that it does not know.
  for (const level of ['info', 'warn'] as const) t.mock.method(console, level, () => undefined);
  const { default: Provider } = await import('oidc-provider');
  const provider = new Provider(url, {
    clients: [
      {
        client_id: 'shop',
        client_secret: secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'plants:read plants:write',
          audience: 'urn:plants',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const handle = provider.callback();
  server.on('request', (incoming, response) => void handle(incoming, response));
  return url;
}

async function getToken(issuer: string, scope: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`shop:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: 'urn:plants', scope }),
  });
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return access_token;
}

it('a client of an OpenID provider uses the service with its scopes until it is revoked', async (t) => {
  const issuer = await startProvider(t);
  const env = { PLANT_STORE_OIDC_ISSUER: issuer, PLANT_STORE_OIDC_AUDIENCE: 'urn:plants' };
  const service = await startService(t, { store: 'folder', env });
  const [writer, reader] = await Promise.all(
    ['plants:read plants:write', 'plants:read'].map((scope) => getToken(issuer, scope)),
  );
  const create = (token = ''): ReturnType<typeof request> =>
    request(service, { token, body: '{"name":"Monstera","id":7}' });
  const denied = await create(reader);
  const origin = 'Scopes of the token are in the claim scope';
  assert.deepEqual([denied.number, denied.message?.endsWith(`Required: plants:write. ${origin}`)], [40301, true]);
  const lacking = 'Bearer realm="plants", error="insufficient_scope", scope="plants:write"';
  assert.equal(denied.headers['www-authenticate'], `${lacking}, error_description="${origin}"`);
  const deniedLine = await service.findLog(({ requestId }) => requestId === denied.headers['x-request-id']);
  assert.equal(deniedLine['reason'], origin);
  assert.equal((await create(writer)).status, 200);
  assert.equal((await create(`${writer ?? ''}x`)).number, 40102);
  const history = await request(service, { method: 'GET', path: '/plants/7/history' });
  const [{ by } = {}] = JSON.parse(history.text) as {
    readonly by?: { readonly token: string; readonly name: string };
  }[];
  assert.equal(by?.name, 'shop');
  assert.match(by.token, /^jwt:/);
  const place = ['--data-dir', service.dataDir];
  assert.match((await runCli(['token', 'list', ...place])).stdout, new RegExp(`^${by.token} +shop `, 'm'));
  assert.equal((await runCli(['token', 'revoke', by.token, ...place])).code, 0);
  const refused = await create(await getToken(issuer, 'plants:read plants:write'));
  const detail = 'The user in the claim sub is revoked';
  assert.deepEqual([refused.number, refused.message], [40102, `The token is not valid. ${detail}`]);
  const challenge = `Bearer realm="plants", error="invalid_token", error_description="${detail}"`;
  assert.equal(refused.headers['www-authenticate'], challenge);
  const line = await service.findLog(({ requestId }) => requestId === refused.headers['x-request-id']);
  assert.deepEqual([line['reason'], line['token']], [detail, by.token]);
});
