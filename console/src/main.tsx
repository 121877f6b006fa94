/** Entry point of the console: mounts it on its page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { startCopy } from './copy/copy.ts';
import { OwnClient } from './copy/own-client.ts';
import { startTally } from './copy/tags.ts';
import { startSession } from './session/session.ts';
import { keepFocus } from './ui/keep-focus.ts';
import { applyTheme } from './ui/theme.ts';

const place = document.getElementById('app');
if (place !== null) {
  applyTheme();
  keepFocus(place);
  startTally();
  startCopy();
  void startSession((options) => new OwnClient(options));
  render(<App />, place);
}
