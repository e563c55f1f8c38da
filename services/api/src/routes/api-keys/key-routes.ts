import {
  ApiKeyList,
  ApiKeyParams,
  ApiKeyPatch,
  ApiKeyRotation,
  CreateTeamApiKey,
  CreateUserApiKey,
  GivenApiKey,
  TeamApiKeyFirstView,
  TeamApiKeyQuery,
  TeamApiKeysQuery,
  TeamApiKeyView,
  UserApiKeyFirstView,
  UserApiKeyQuery,
  UserApiKeysQuery,
  UserApiKeyView,
} from '@gatebook/contract/api-keys';
import type { ApiKeyOwnerType } from '@gatebook/domain/api-key/events';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import { type ApiKeyRow, apiKeyKeys, findApiKey, listApiKeys } from '@gatebook/readmodel/api-keys/queries';
import { actOnUserErrors, clientAndUp, serverAndUp } from '../../access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { checkKey, checkSwitch, createKey, mayReadKeys, readKey, rotateKey, updateKey } from './one-key.ts';
import { rowOfKey, tailOf, toKeyView } from './wire.ts';

const shapes = {
  user: {
    view: UserApiKeyView,
    firstView: UserApiKeyFirstView,
    create: CreateUserApiKey,
    listQuery: UserApiKeysQuery,
    oneQuery: UserApiKeyQuery,
  },
  team: {
    view: TeamApiKeyView,
    firstView: TeamApiKeyFirstView,
    create: CreateTeamApiKey,
    listQuery: TeamApiKeysQuery,
    oneQuery: TeamApiKeyQuery,
  },
} as const;

const errors = {
  user: {
    isOff: 'USER_API_KEYS_DISABLED',
    access: ['USER_AUTHENTICATION_REQUIRED', ...actOnUserErrors],
    owner: 'USER_NOT_FOUND',
  },
  team: { isOff: 'TEAM_API_KEYS_DISABLED', access: ['USER_AUTHENTICATION_REQUIRED'], owner: 'TEAM_NOT_FOUND' },
} as const satisfies Record<
  ApiKeyOwnerType,
  { isOff: DomainErrorCode; access: readonly DomainErrorCode[]; owner: DomainErrorCode }
>;

const whose = {
  user: 'Client access is limited to the signed-in user’s keys.',
  team: 'Client access needs `$manage_api_keys` in the team.',
};

const ownerIdOf = (named: { user_id: string } | { team_id: string }) =>
  'user_id' in named ? named.user_id : named.team_id;

/** Routes for keys of one type of owner. The two types differ in paths and shapes (protocol, resources §7.2). */
export function keyRoutesOf(ownerType: ApiKeyOwnerType): readonly Route[] {
  const { view, firstView, create, listQuery, oneQuery } = shapes[ownerType];
  const { isOff, access, owner: ownerError } = errors[ownerType];
  const path = `/${ownerType}-api-keys`;
  const onePath = `${path}/:api_key_id`;
  const tags = ['API keys'];
  return [
    defineRoute({
      method: 'GET',
      path,
      asOf: [],
      access: clientAndUp,
      replacesMe: true,
      errors: [isOff, ...access, 'API_KEY_NOT_FOUND'],
      tags,
      summary: `List ${ownerType} API keys`,
      description: `Newest first. Includes revoked and expired keys. Shows the last four characters of each key. ${whose[ownerType]}`,
      query: listQuery,
      response: { 200: ApiKeyList },
      handle: async ({ deps, request, caller, query }) => {
        checkSwitch(caller, ownerType);
        const owner = { ownerType, ownerId: ownerIdOf(query) };
        await mayReadKeys(deps, caller, owner);
        const found = await listApiKeys(deps.db, caller.projectId, owner, pageOf(request, query, apiKeyKeys));
        return toPagedList(query, found, (row) => toKeyView(row, tailOf(row)));
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      access: clientAndUp,
      role: 'developer',
      isPreviewable: true,
      session: 'own',
      replacesMe: true,
      errors: [isOff, ...access, 'API_KEY_NOT_FOUND', ownerError, 'QUOTA_EXCEEDED'],
      tags,
      summary: `Create a ${ownerType} API key`,
      description: `This is the only response that contains the whole key. ${whose[ownerType]}`,
      body: create,
      response: { 200: firstView },
      handle: async ({ deps, caller, context, body }) => {
        checkSwitch(caller, ownerType);
        const { description, expires_at_millis, is_public } = body;
        const newKey = { description, expires_at_millis, is_public, ownerType, ownerId: ownerIdOf(body) };
        const { row, text, position } = await createKey(deps, caller, context, newKey);
        return { position, body: toKeyView(row, text) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: onePath,
      asOf: [],
      access: clientAndUp,
      replacesMe: true,
      errors: [isOff, ...access, 'API_KEY_NOT_FOUND'],
      tags,
      summary: `Get a ${ownerType} API key`,
      description: whose[ownerType],
      params: ApiKeyParams,
      query: oneQuery,
      response: { 200: view },
      handle: async ({ deps, caller, params }) => {
        checkSwitch(caller, ownerType);
        const row = await readKey(deps, caller, params.api_key_id, ownerType);
        return toKeyView(row, tailOf(row));
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: onePath,
      access: clientAndUp,
      isPreviewable: true,
      session: 'own',
      replacesMe: true,
      errors: [isOff, ...access, 'API_KEY_NOT_FOUND'],
      tags,
      summary: `Update or revoke a ${ownerType} API key`,
      description: `Omitted fields are unchanged. A revoked key can’t be restored. ${whose[ownerType]}`,
      params: ApiKeyParams,
      query: oneQuery,
      body: ApiKeyPatch,
      response: { 200: view },
      handle: async ({ deps, caller, context, params, body }) => {
        checkSwitch(caller, ownerType);
        const keyId = params.api_key_id;
        const { key, position } = await updateKey(deps, caller, context, { keyId, ownerType, patch: body });
        const toView = (row: ApiKeyRow) => toKeyView(row, tailOf(row));
        return {
          position,
          body: async () => toView(await findApiKey(deps.db, caller.projectId, keyId, ownerType)),
          stale: () => toView(rowOfKey(key)),
        };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${onePath}/rotate`,
      access: clientAndUp,
      role: 'developer',
      isPreviewable: true,
      session: 'own',
      replacesMe: true,
      errors: [isOff, ...access, 'API_KEY_NOT_FOUND', 'QUOTA_EXCEEDED'],
      tags,
      summary: `Rotate a ${ownerType} API key`,
      description: `Creates a key of the same owner with the same description. Both work until the old one expires. This is the only response that contains the whole key. A revoked key can’t be rotated. ${whose[ownerType]}`,
      params: ApiKeyParams,
      query: oneQuery,
      body: ApiKeyRotation,
      response: { 200: firstView },
      handle: async ({ deps, caller, context, params, body: rotation }) => {
        checkSwitch(caller, ownerType);
        const keyId = params.api_key_id;
        const { row, text, position } = await rotateKey(deps, caller, context, { keyId, ownerType, rotation });
        return { position, body: toKeyView(row, text) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/check`,
      access: serverAndUp,
      writesNothing: true,
      errors: [isOff, 'API_KEY_NOT_FOUND', 'WRONG_API_KEY_TYPE', 'API_KEY_REVOKED', 'API_KEY_EXPIRED'],
      tags,
      summary: `Check a ${ownerType} API key`,
      description: 'For servers that receive the key in a request. Returns the key’s owner if the key is valid.',
      body: GivenApiKey,
      response: { 200: view },
      handle: async ({ deps, caller, body }) => {
        checkSwitch(caller, ownerType);
        const row = await checkKey(deps, caller, body.api_key, ownerType);
        return { position: null, body: toKeyView(row, tailOf(row)) };
      },
    }),
  ];
}
