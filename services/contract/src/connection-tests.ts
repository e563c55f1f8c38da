import { providerIds } from '@gatebook/domain/project/config';
import { issuerFault, openIdProviderIdFault } from '@gatebook/domain/project/openid-providers';
import { hasWildcard, trustedDomainFault } from '@gatebook/domain/project/trusted-domains';
import { z } from 'zod';
import { filledTextUpTo, name, textWithout } from './common.ts';

const client = { client_id: filledTextUpTo(1_024), client_secret: filledTextUpTo(4_096) };

export const ProviderTestBody = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('standard'),
      id: z.enum(providerIds),
      ...client,
      facebook_config_id: name.optional(),
      microsoft_tenant_id: name.optional(),
    }),
    z.strictObject({
      type: z.literal('openid'),
      id: textWithout(63, openIdProviderIdFault),
      issuer: textWithout(2_048, issuerFault),
      ...client,
    }),
  ])
  .meta({ id: 'ProviderTest' });
export type ProviderTestBody = z.infer<typeof ProviderTestBody>;

export const ProviderTestView = z
  .object({
    result: z.enum(['accepted', 'keys_rejected', 'unreachable', 'unclear']).meta({
      description:
        'Whether the provider accepted client ID and secret. `unclear`: its answer does not say, as of providers that check the code first.',
    }),
  })
  .meta({ id: 'ProviderTestResult' });
export type ProviderTestView = z.infer<typeof ProviderTestView>;

export const DomainTestBody = z
  .strictObject({
    domain: textWithout(2_048, (domain) =>
      hasWildcard(domain) ? 'must not have a wildcard' : trustedDomainFault(domain),
    ),
    handler_path: textWithout(2_048, (path) => (path.startsWith('/') ? null : 'must start with /')),
  })
  .meta({ id: 'DomainTest' });
export type DomainTestBody = z.infer<typeof DomainTestBody>;

export const DomainTestView = z
  .object({
    url: z.string().meta({ description: 'The page that was requested: the sign-in page of the app.' }),
    status: z.number().int().nullable().meta({ description: 'What the page answered; redirects are not followed.' }),
    reason: z
      .enum(['not_allowed', 'unreachable', 'timeout'])
      .nullable()
      .meta({ description: 'Why there is no answer.' }),
  })
  .meta({ id: 'DomainTestResult' });
export type DomainTestView = z.infer<typeof DomainTestView>;
