/** Debian's Firefox, which playwright-core drives with WebDriver BiDi. */
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, firefox } from 'playwright-core';
import '../../scripts/ensure-console.ts';
import { cleanUp } from '../support/clean-up.ts';

const path = '/usr/bin/firefox-esr';

/** What playwright-core has inside of a browser. Its version is exact in package.json. */
interface Internals {
  readonly _connection: { toImpl(browser: Browser): { readonly _browserSession: Session } };
}
type Send = (this: Session, method: string, parameters: unknown) => Promise<unknown>;
interface Session {
  send: Send;
}

/**
 * The browser of a test file; undefined if it is not installed. People in it prefer reduced motion; `emulateMedia` and the
 * colour scheme of a context change nothing.
 */
export async function openFirefox(): Promise<Browser | undefined> {
  if (!existsSync(path)) return undefined;
  const firefoxUserPrefs = { 'ui.prefersReducedMotion': 1 };
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath: path, firefoxUserPrefs });
  cleanUp({ after }, () => browser.close());
  const { _browserSession } = (browser as unknown as Internals)._connection.toImpl(browser);
  const sessions = Object.getPrototypeOf(_browserSession) as Session;
  const { send } = sessions;
  // The ESR lacks this command, which is sent for every context.
  sessions.send = function (method, parameters) {
    return method === 'emulation.setMediaFeaturesOverride' ? Promise.resolve({}) : send.call(this, method, parameters);
  };
  return browser;
}
