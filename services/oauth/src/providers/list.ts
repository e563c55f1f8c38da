import type { ProviderId } from '@gatebook/commands/oauth/oauth-providers';
import type { ProviderEntry } from '../provider.ts';
import { apple } from './apple.ts';
import { bitbucket } from './bitbucket.ts';
import { discord } from './discord.ts';
import { facebook } from './facebook.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { google } from './google.ts';
import { linkedin } from './linkedin.ts';
import { microsoft } from './microsoft.ts';
import { spotify } from './spotify.ts';
import { x } from './x.ts';

/** All providers that the protocol defines. `Record` makes a missing entry a compile error. */
export const providerEntries: Readonly<Record<ProviderId, ProviderEntry>> = {
  google,
  github,
  microsoft,
  spotify,
  facebook,
  discord,
  gitlab,
  bitbucket,
  linkedin,
  apple,
  x,
};
