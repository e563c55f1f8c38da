import type { ProviderId, ProviderProfile } from '@gatebook/commands/oauth/oauth-providers';
import { nowSeconds } from './authorization.ts';
import { idToken } from './provider-server.ts';

export const client = { clientId: 'client-id.of_us', clientSecret: 'se+cr%et' };
const claims = { aud: client.clientId, iat: nowSeconds, exp: nowSeconds + 3600 };

export type ProviderCase = {
  id: ProviderId;
  token: Record<string, unknown>;
  answers?: Record<string, unknown>;
  profile: ProviderProfile;
  expiresAt: string;
  refreshToken?: string;
};

/** Answers as the providers' documentation shows them, with made-up people. */
export const providerCases: readonly ProviderCase[] = [
  {
    id: 'google',
    token: {
      access_token: 'ya29.a0',
      expires_in: 3599,
      refresh_token: '1//0g',
      token_type: 'Bearer',
      scope: 'openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile',
      id_token: idToken({
        ...claims,
        iss: 'https://accounts.google.com',
        sub: '110169484474386276334',
        hd: 'example.com',
      }),
    },
    answers: {
      '/profile': {
        sub: '110169484474386276334',
        name: 'Ann Example',
        given_name: 'Ann',
        family_name: 'Example',
        picture: 'https://lh3.googleusercontent.com/a/AAcHTtd=s96-c',
        email: 'ann@example.com',
        email_verified: true,
        hd: 'example.com',
      },
    },
    profile: {
      accountId: '110169484474386276334',
      displayName: 'Ann Example',
      profileImageUrl: 'https://lh3.googleusercontent.com/a/AAcHTtd=s96-c',
      email: 'ann@example.com',
      isEmailVerified: true,
    },
    expiresAt: '2026-11-21T12:59:59.000Z',
    refreshToken: '1//0g',
  },
  {
    id: 'github',
    token: { access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a', scope: 'user:email,gist', token_type: 'bearer' },
    answers: {
      '/profile': {
        login: 'ann',
        id: 583231,
        node_id: 'MDQ6VXNlcjU4MzIzMQ==',
        name: null,
        email: null,
        type: 'User',
        avatar_url: 'https://avatars.githubusercontent.com/u/583231?v=4',
      },
      '/profile/emails': [
        { email: 'old@example.com', primary: false, verified: true, visibility: null },
        { email: 'ann@example.com', primary: true, verified: true, visibility: 'private' },
      ],
    },
    profile: {
      accountId: '583231',
      displayName: null,
      profileImageUrl: 'https://avatars.githubusercontent.com/u/583231?v=4',
      email: 'ann@example.com',
      isEmailVerified: true,
    },
    expiresAt: '2027-11-21T12:00:00.000Z',
  },
  {
    id: 'microsoft',
    token: {
      token_type: 'Bearer',
      scope: 'User.Read profile openid email',
      expires_in: 3600,
      ext_expires_in: 3600,
      access_token: 'EwB4A8l6BAAU',
      id_token: idToken({
        ...claims,
        iss: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
        tid: '9188040d-6c67-4c5b-b112-36a304b66dad',
        sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      }),
    },
    answers: {
      '/profile': {
        '@odata.context': 'https://graph.microsoft.com/v1.0/$metadata#users/$entity',
        businessPhones: [],
        displayName: 'Ann Example',
        mail: null,
        userPrincipalName: 'ann@outlook.example',
        id: '48d31887-5fad-4d73-a9f5-3c356e68a038',
      },
    },
    profile: {
      accountId: '48d31887-5fad-4d73-a9f5-3c356e68a038',
      displayName: 'Ann Example',
      profileImageUrl: null,
      email: 'ann@outlook.example',
      isEmailVerified: false,
    },
    expiresAt: '2026-11-21T13:00:00.000Z',
  },
  {
    id: 'spotify',
    token: {
      access_token: 'BQ',
      token_type: 'Bearer',
      scope: 'user-read-email',
      expires_in: 3600,
      refresh_token: 'AQ',
    },
    answers: {
      '/profile': {
        display_name: 'Ann',
        email: 'ann@example.com',
        id: 'smedjan',
        type: 'user',
        uri: 'spotify:user:smedjan',
        images: [
          { url: 'https://i.scdn.co/image/ab67757000003b82', height: 64, width: 64 },
          { url: 'https://i.scdn.co/image/ab6775700000ee85', height: 300, width: 300 },
        ],
      },
    },
    profile: {
      accountId: 'smedjan',
      displayName: 'Ann',
      profileImageUrl: 'https://i.scdn.co/image/ab67757000003b82',
      email: 'ann@example.com',
      isEmailVerified: false,
    },
    expiresAt: '2026-11-21T13:00:00.000Z',
    refreshToken: 'AQ',
  },
  {
    id: 'facebook',
    token: {
      access_token: 'EAAG',
      token_type: 'bearer',
      expires_in: 5183944,
      id_token: idToken({ ...claims, iss: 'https://www.facebook.com', sub: '10224455' }),
    },
    answers: {
      '/profile?fields=id%2Cname%2Cemail&access_token=EAAG': { id: '10224455', name: 'Ann', email: 'ann@example.com' },
      '/10224455?fields=picture.type%28small%29&access_token=EAAG': {
        picture: {
          data: { height: 50, is_silhouette: false, url: 'https://platform-lookaside.fbsbx.com/p/', width: 50 },
        },
        id: '10224455',
      },
    },
    profile: {
      accountId: '10224455',
      displayName: 'Ann',
      profileImageUrl: 'https://platform-lookaside.fbsbx.com/p/',
      email: 'ann@example.com',
      isEmailVerified: false,
    },
    expiresAt: '2027-01-20T11:59:04.000Z',
  },
  {
    id: 'discord',
    token: { access_token: '6qrZ', token_type: 'Bearer', expires_in: 604800, refresh_token: 'D43f', scope: 'identify' },
    answers: {
      '/profile': {
        id: '80351110224678912',
        username: 'nelly',
        discriminator: '0',
        global_name: 'Nelly',
        verified: true,
        avatar: 'a_8342729096ea3675442027381ff50dfe',
        email: 'nelly@example.com',
        flags: 64,
      },
    },
    profile: {
      accountId: '80351110224678912',
      displayName: 'Nelly',
      profileImageUrl: 'https://cdn.discordapp.com/avatars/80351110224678912/a_8342729096ea3675442027381ff50dfe.gif',
      email: 'nelly@example.com',
      isEmailVerified: true,
    },
    expiresAt: '2026-11-28T12:00:00.000Z',
    refreshToken: 'D43f',
  },
  {
    id: 'gitlab',
    token: {
      access_token: 'de6780bc',
      token_type: 'bearer',
      expires_in: 7200,
      refresh_token: '8257e65c',
      created_at: 1607635748,
    },
    answers: {
      '/profile': {
        id: 1,
        username: 'ann',
        name: 'Ann Example',
        state: 'active',
        email: 'ann@example.com',
        avatar_url: 'https://gitlab.com/uploads/-/system/user/avatar/1/index.png',
      },
      '/profile/emails': [
        { id: 1, email: 'other@example.com', confirmed_at: null },
        { id: 3, email: 'ann@example.com', confirmed_at: '2021-03-26T19:07:56.248Z' },
      ],
    },
    profile: {
      accountId: '1',
      displayName: 'Ann Example',
      profileImageUrl: 'https://gitlab.com/uploads/-/system/user/avatar/1/index.png',
      email: 'ann@example.com',
      isEmailVerified: true,
    },
    expiresAt: '2026-11-21T14:00:00.000Z',
    refreshToken: '8257e65c',
  },
  {
    id: 'bitbucket',
    token: {
      access_token: 'rZVK',
      scopes: 'account email',
      expires_in: 7200,
      refresh_token: 'qK9x',
      token_type: 'bearer',
      state: 'authorization_code',
    },
    answers: {
      '/profile': {
        type: 'user',
        uuid: '{1d9d1a7c}',
        account_id: '557058:ba8948b2',
        display_name: 'Ann',
        nickname: 'ann',
        links: { avatar: { href: 'https://secure.gravatar.com/avatar/5d0f' }, self: { href: 'https://x.example' } },
      },
      '/profile/emails': {
        values: [{ type: 'email', email: 'ann@example.com', is_primary: true, is_confirmed: true }],
        pagelen: 10,
        size: 1,
        page: 1,
      },
    },
    profile: {
      accountId: '557058:ba8948b2',
      displayName: 'Ann',
      profileImageUrl: 'https://secure.gravatar.com/avatar/5d0f',
      email: 'ann@example.com',
      isEmailVerified: true,
    },
    expiresAt: '2026-11-21T14:00:00.000Z',
    refreshToken: 'qK9x',
  },
  {
    id: 'linkedin',
    // No token_type: its documentation shows none.
    token: {
      access_token: 'AQUvlL',
      expires_in: 5184000,
      scope: 'email,openid,profile',
      id_token: idToken({ ...claims, iss: 'https://www.linkedin.com/oauth', sub: '782bbtaQ' }),
    },
    answers: {
      '/profile': {
        sub: '782bbtaQ',
        name: 'Ann Example',
        given_name: 'Ann',
        family_name: 'Example',
        picture: 'https://media.licdn-ei.com/dms/image/C5F03AQHqK8v7tB1HCQ/',
        locale: { country: 'US', language: 'en' },
        email: 'ann@example.com',
        email_verified: 'true',
      },
    },
    profile: {
      accountId: '782bbtaQ',
      displayName: 'Ann Example',
      profileImageUrl: 'https://media.licdn-ei.com/dms/image/C5F03AQHqK8v7tB1HCQ/',
      email: 'ann@example.com',
      isEmailVerified: true,
    },
    expiresAt: '2027-01-20T12:00:00.000Z',
  },
  {
    id: 'apple',
    token: {
      access_token: 'adg61',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'rca7',
      id_token: idToken({
        ...claims,
        iss: 'https://appleid.apple.com',
        sub: '000123.f1.0456',
        nonce_supported: true,
        email: 'x7@privaterelay.appleid.com',
        email_verified: 'true',
        is_private_email: 'true',
      }),
    },
    profile: {
      accountId: '000123.f1.0456',
      displayName: null,
      profileImageUrl: null,
      email: 'x7@privaterelay.appleid.com',
      isEmailVerified: true,
    },
    expiresAt: '2026-11-21T13:00:00.000Z',
    refreshToken: 'rca7',
  },
  {
    id: 'x',
    token: {
      token_type: 'bearer',
      expires_in: 7200,
      access_token: 'bWRW',
      scope: 'tweet.read users.read offline.access',
      refresh_token: 'bWRWYTpy',
    },
    answers: {
      '/profile?user.fields=id,name,profile_image_url': {
        data: {
          id: '2244994945',
          name: 'Ann',
          username: 'ann',
          profile_image_url: 'https://pbs.twimg.com/profile_images/1/normal.jpg',
        },
      },
    },
    profile: {
      accountId: '2244994945',
      displayName: 'Ann',
      profileImageUrl: 'https://pbs.twimg.com/profile_images/1/normal.jpg',
      email: null,
      isEmailVerified: false,
    },
    expiresAt: '2026-11-21T14:00:00.000Z',
    refreshToken: 'bWRWYTpy',
  },
];
