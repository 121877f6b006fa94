/** openapi.json out of YAML: the same values, to the digit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderDescription } from '../../scripts/render-description.ts';

describe('renderDescription()', () => {
  it('writes two spaces of indent, and integers digit for digit', () => {
    const yaml = 'a: -9223372036854775808\nb: [0.5, "c\\n", null]\nd: { e: 9007199254740993, f: {}, g: [] }\n';
    const json =
      '{\n  "a": -9223372036854775808,\n  "b": [\n    0.5,\n    "c\\n",\n    null\n  ],\n' +
      '  "d": {\n    "e": 9007199254740993,\n    "f": {},\n    "g": []\n  }\n}\n';
    assert.equal(renderDescription(yaml), json);
  });

  it('refuses what is not YAML', () => {
    assert.throws(() => renderDescription('a: ['), Error);
  });
});
