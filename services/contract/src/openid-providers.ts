import { issuerFault, openIdProviderIdFault } from '@gatebook/domain/project/openid-providers';
import { z } from 'zod';
import { filledTextUpTo, listOf, textWithout } from './common.ts';

const issuer = textWithout(2_048, issuerFault);

export const OpenIdProviderPath = z.strictObject({ provider: textWithout(63, openIdProviderIdFault) });

/** Admins can read the client secret, like those of other providers. */
export const OpenIdProviderView = z
  .object({
    id: z.string(),
    display_name: z.string(),
    issuer: z.string(),
    client_id: z.string(),
    client_secret: z.string(),
    callback_url: z.string().meta({ description: 'The redirect URL to register at the provider.' }),
  })
  .meta({ id: 'OpenIdProvider' });
export type OpenIdProviderView = z.infer<typeof OpenIdProviderView>;
export const OpenIdProviderList = listOf(OpenIdProviderView).meta({ id: 'OpenIdProviderList' });
export type OpenIdProviderList = z.infer<typeof OpenIdProviderList>;

export const OpenIdProviderBody = z
  .strictObject({
    display_name: textWithout(64, (text) => (text === '' ? 'must not be empty' : null)),
    issuer,
    client_id: filledTextUpTo(1_024),
    client_secret: filledTextUpTo(4_096),
  })
  .meta({ id: 'OpenIdProviderChange' });
export type OpenIdProviderBody = z.infer<typeof OpenIdProviderBody>;

export const IssuerTestBody = z.strictObject({ issuer }).meta({ id: 'IssuerTest' });
export const IssuerTestView = z
  .object({
    is_usable: z.boolean(),
    reason: z
      .enum([
        'not_allowed',
        'unreachable',
        'timeout',
        'too_large',
        'redirect',
        'status',
        'not_metadata',
        'issuer_mismatch',
        'endpoint_not_allowed',
        'keys_unusable',
      ])
      .nullable()
      .meta({ description: 'Why sign-ins would fail.' }),
    detail: z.string().nullable().meta({ description: 'The fields or values that are wrong.' }),
  })
  .meta({ id: 'IssuerTestResult' });
export type IssuerTestView = z.infer<typeof IssuerTestView>;
