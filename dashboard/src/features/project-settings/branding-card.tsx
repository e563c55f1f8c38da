import type { Branding } from '@gatebook/js/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { DraftText } from '../../components/drafts/draft-fields.tsx';
import type { Draft, Fields } from '../../components/drafts/use-draft.ts';
import { Card } from '../../components/states.tsx';
import classes from './branding-card.module.css';

/** Empty: the default. */
export type BrandingValues = Record<keyof Branding, string>;

const logoFault = (value: string) =>
  value === '' || (/^https:/i.test(value) && URL.canParse(value)) ? null : t`Enter a URL that starts with https://`;
const colorFault = (value: string) =>
  value === '' || isColor(value) ? null : t`Enter a color as # and six digits, such as #1c7a60`;
const isColor = (value: string) => /^#[0-9a-f]{6}$/i.test(value);

export const brandingFields: Fields<BrandingValues> = {
  logoUrl: { label: t`Logo URL`, fault: logoFault },
  darkLogoUrl: { label: t`Logo URL in dark mode`, fault: logoFault },
  accentColor: { label: t`Accent color`, fault: colorFault },
};

export const brandingValues = ({ logoUrl, darkLogoUrl, accentColor }: Branding): BrandingValues => ({
  logoUrl: logoUrl ?? '',
  darkLogoUrl: darkLogoUrl ?? '',
  accentColor: accentColor ?? '',
});

/** The changed ones, as they are saved. */
export function brandingChanges(changes: Partial<Record<string, unknown>>): Partial<Branding> | undefined {
  const names = Object.keys(brandingFields).filter((name) => name in changes);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, changes[name] === '' ? null : changes[name]]));
}

type Props<Values> = { draft: Draft<Values>; productName: string; history: ReactNode };

/** The logo and the color of sign-in pages and emails, with a preview of what is typed. */
export function BrandingCard<Values extends BrandingValues>({ draft, productName, history }: Props<Values>) {
  const own = draft as unknown as Draft<BrandingValues>;
  return (
    <Card title={t`Branding`} labelId="branding-title" details={history}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          <Trans>
            The sign-in pages of this project and its emails use them, except where an email template has its own logo
            or colors. Without a logo, the pages show the project’s name.
          </Trans>
        </Text>
        <DraftText draft={own} name="logoUrl" placeholder="https://example.com/logo.png" />
        <DraftText draft={own} name="darkLogoUrl" placeholder="https://example.com/logo-dark.png" />
        <DraftText draft={own} name="accentColor" placeholder="#1c7a60" />
        <SimpleGrid cols={{ base: 1, xs: 2 }} role="group" aria-label={t`Preview`}>
          <Sample mode="light" values={own.values} productName={productName} />
          <Sample mode="dark" values={own.values} productName={productName} />
        </SimpleGrid>
      </Stack>
    </Card>
  );
}

type SampleProps = { mode: 'light' | 'dark'; values: BrandingValues; productName: string };

function Sample({ mode, values: { logoUrl, darkLogoUrl, accentColor }, productName }: SampleProps) {
  const logo = mode === 'dark' && darkLogoUrl !== '' ? darkLogoUrl : logoUrl;
  const style = isColor(accentColor) ? ({ '--brand': accentColor } as CSSProperties) : undefined;
  const hasLogo = logoUrl !== '' && logoFault(logo) === null;
  return (
    <div className={classes.sample} data-mode={mode} style={style}>
      {hasLogo ? (
        <img key={logo} className={classes.logo} src={logo} alt={t`Logo of ${productName}`} />
      ) : (
        <strong>{productName}</strong>
      )}
      <span className={classes.button}>
        <Trans>Sign in</Trans>
      </span>
      <span className={classes.link}>
        <Trans>Forgot password?</Trans>
      </span>
    </div>
  );
}
