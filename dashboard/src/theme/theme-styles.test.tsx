// @vitest-environment happy-dom

import { readFileSync } from 'node:fs';
import { MantineProvider } from '@mantine/core';
import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { writeThemeStyles } from '../../theme-styles.ts';
import { cssVariables } from './look.ts';
import { theme } from './theme.ts';

test('the build has what the provider of Mantine computes in the browser', () => {
  const { container } = render(<MantineProvider theme={theme} cssVariablesResolver={cssVariables} />);
  const computed = [...container.querySelectorAll('style')].map(({ innerHTML }) => innerHTML);
  expect(computed).toHaveLength(2);
  const built = writeThemeStyles();
  for (const css of computed)
    for (const line of css.split(/\n|(?<=\})(?=@media)/)) expect(built).toContain(line.trim());
  const document = readFileSync(`${import.meta.dirname}/../../index.html`, 'utf8');
  const { respectReducedMotion } = window.document.documentElement.dataset;
  expect(document).toContain(`data-respect-reduced-motion="${respectReducedMotion}"`);
});
