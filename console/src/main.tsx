/** Entry point of the console: mounts it on its page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { startFollowing } from './history/follow-changes.ts';
import { restoreSession } from './session/session.ts';
import { keepFocus } from './ui/keep-focus.ts';
import { applyTheme } from './ui/theme.ts';

const place = document.getElementById('app');
if (place !== null) {
  applyTheme();
  keepFocus(place);
  void restoreSession();
  startFollowing();
  render(<App />, place);
}
