import { describe, expect, test } from 'vitest';
import { TemplateType } from './events.ts';
import { languages } from './languages.ts';
import { parseVersionId, versionIdOf } from './template-versions.ts';

describe('the ID of a version of a template', () => {
  test('names the type and the language, and is read back', () => {
    for (const templateType of TemplateType.options) {
      for (const language of [null, ...languages]) {
        expect(parseVersionId(versionIdOf({ templateType, language }))).toEqual({ templateType, language });
      }
    }
    expect(versionIdOf({ templateType: 'magic_link', language: null })).toBe('magic_link');
    expect(versionIdOf({ templateType: 'magic_link', language: 'de-DE' })).toBe('magic_link.de-DE');
  });
  test.each(['', 'x', 'x.de-DE', 'magic_link.', 'magic_link.tlh', 'magic_link.de', 'magic_link.de-DE.x'])(
    'is not %o',
    (id) => expect(parseVersionId(id)).toBeNull(),
  );
});
