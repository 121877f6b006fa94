/** Which key does what, without a browser. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findCommand } from '../../console/src/ui/keys.ts';

const none = {
  code: '',
  keyCode: 0,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
};

for (const [what, press, isTyping, command] of [
  ['/', { key: '/' }, false, 'search'],
  ['/ in a text', { key: '/' }, true, undefined],
  ['n', { key: 'n' }, false, 'new'],
  ['n in a text', { key: 'n' }, true, undefined],
  ['Ctrl N, which is the browser’s', { key: 'n', ctrlKey: true }, false, undefined],
  ['?', { key: '?', shiftKey: true }, false, 'keys'],
  ['Ctrl A', { key: 'a', ctrlKey: true }, false, 'all'],
  ['⌘ A', { key: 'a', metaKey: true }, false, 'all'],
  ['Ctrl Shift A', { key: 'A', ctrlKey: true, shiftKey: true }, false, undefined],
  ['Ctrl A in a text, which it selects', { key: 'a', ctrlKey: true }, true, undefined],
  ['a key of an input method', { key: 'n', isComposing: true }, false, undefined],
  ['Enter of an input method in Safari', { key: 'n', keyCode: 229 }, false, undefined],
  ['N with Caps Lock', { key: 'N' }, false, 'new'],
  ['N on a Russian keyboard', { key: 'т', code: 'KeyN' }, false, 'new'],
  ['Ctrl A with Caps Lock on a Russian keyboard', { key: 'Ф', code: 'KeyA', ctrlKey: true }, false, 'all'],
  ['Alt N', { key: 'n', altKey: true }, false, undefined],
] as const)
  it(`${what} is ${command ?? 'no command'}`, () => {
    assert.equal(findCommand({ ...none, ...press }, isTyping), command);
  });
