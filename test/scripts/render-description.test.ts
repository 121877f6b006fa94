/** Rendering openapi.json from YAML: the same values, exactly. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderDescription } from '../../scripts/render-description.ts';

describe('renderDescription()', () => {
  it('indents by two spaces and writes integers exactly', () => {
    const yaml = 'a: -9223372036854775808\nb: [0.5, "c\\n", null]\nd: { e: 9007199254740993, f: {}, g: [] }\n';
    const json =
      '{\n  "a": -9223372036854775808,\n  "b": [\n    0.5,\n    "c\\n",\n    null\n  ],\n' +
      '  "d": {\n    "e": 9007199254740993,\n    "f": {},\n    "g": []\n  }\n}\n';
    assert.equal(renderDescription(yaml), json);
  });

  it('rejects text that is not YAML', () => {
    assert.throws(() => renderDescription('a: ['), Error);
  });
});
