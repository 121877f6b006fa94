/** Captures a response of the service, for a bare server to replay. */
import { get } from 'node:http';
import { token } from './service.ts';

export interface Captured {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Header fields that Node adds itself. */
const own = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** Resolves to the response. @throws Error unless it is 200. */
export function capture(port: number, path: string): Promise<Captured> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('error', reject).on('end', () => {
        if (response.statusCode !== 200) {
          reject(new Error(`GET ${path} answers ${response.statusCode ?? 0}: ${body}`));
          return;
        }
        const fields = Object.entries(response.headers).filter(([name]) => !own.has(name));
        resolve({ headers: Object.fromEntries(fields.map(([name, value]) => [name, String(value)])), body });
      });
    });
    request.on('error', reject);
  });
}
