// xacro-parser with the XML parser that it needs.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export async function openPeer(folder) {
  const require = createRequire(`${resolve(folder)}/`);
  const { DOMParser } = require('@xmldom/xmldom');
  const { XacroParser } = await import(pathToFileURL(require.resolve('xacro-parser')).href);
  globalThis.DOMParser = DOMParser;
  const parse = (text) => new DOMParser().parseFromString(text, 'text/xml').documentElement;
  const expand = async (path) => {
    const parser = new XacroParser();
    parser.workingPath = `${dirname(path)}/`;
    parser.getFileContents = (name) => Promise.resolve(readFileSync(name, 'utf8'));
    return String(await parser.parse(readFileSync(path, 'utf8')));
  };
  return { parse, expand };
}
