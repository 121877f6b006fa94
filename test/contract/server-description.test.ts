/** The served description: exact integers, and nothing changed but its servers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { membersOf, parseDescription } from '../../src/contract/description.ts';
import { loadContract } from '../../src/contract/load-contract.ts';
import { serverDescription } from '../../src/contract/server-description.ts';
import { contract, contractText, toContract } from '../support/read-contract.ts';

const urls = ['/', '/api/v1', 'https://plants.example:8443/a', '/$&/$1/"\\/\u2028'];

const sampleUrl = 'http://127.0.0.1:3000';

describe('serverDescription()', () => {
  for (const url of urls) {
    const { json, yaml } = serverDescription(contract, url);
    // A relative URL is no address in a text.
    const address = url.startsWith('https:') ? url : sampleUrl;
    const info = membersOf(contract.document['info']);
    const description = (info['description'] as string).replaceAll(sampleUrl, address);
    const wanted = {
      ...contract.document,
      info: { ...info, description },
      servers: [{ url, description: 'This service' }],
    };

    it(`has the address ${JSON.stringify(url)} in YAML, and nothing else differs`, () => {
      assert.deepEqual(toContract(yaml).document, wanted);
    });

    it(`has the address ${JSON.stringify(url)} in JSON, and nothing else differs`, () => {
      assert.deepEqual(parseDescription(json), wanted);
    });
  }

  it('writes the bounds of int64 exactly', () => {
    const { json } = serverDescription(contract, '/');
    assert.match(json, /"minimum": -9223372036854775808,/);
    assert.match(json, /"maximum": 9223372036854775807[,\n]/);
  });

  it('keeps the comments and the text of the YAML', () => {
    const url = 'http://127.0.0.1:3000';
    assert.equal(serverDescription(contract, url).yaml.replace(JSON.stringify(url), url), contractText);
  });

  it('returns a description that loads again', () => {
    const again = loadContract(serverDescription(contract, '/api/v1'));
    assert.deepEqual([...again.operations.keys()], [...contract.operations.keys()]);
  });

  it('rejects a description without servers', () => {
    assert.throws(() => serverDescription(toContract('paths: {}\n'), '/'), /servers/);
  });
});
