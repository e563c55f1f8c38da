import {
  ApiKeyList,
  ApiKeyParams,
  ApiKeyPatch,
  CreateTeamApiKey,
  CreateUserApiKey,
  GivenApiKey,
  TeamApiKeyFirstView,
  TeamApiKeysQuery,
  TeamApiKeyView,
  UserApiKeyFirstView,
  UserApiKeyQuery,
  UserApiKeysQuery,
  UserApiKeyView,
} from '@gatebook/contract/api-keys';
import type { ApiKeyOwnerType } from '@gatebook/domain/api-key/events';
import { listApiKeys } from '@gatebook/readmodel/api-keys/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { checkKey, checkSwitch, createKey, mayReadKeys, readKey, updateKey } from './one-key.ts';
import { tailOf, toKeyView } from './wire.ts';

const schemas = {
  user: {
    ...{ view: UserApiKeyView, firstView: UserApiKeyFirstView },
    ...{ create: CreateUserApiKey, listQuery: UserApiKeysQuery, oneQuery: UserApiKeyQuery },
  },
  team: {
    ...{ view: TeamApiKeyView, firstView: TeamApiKeyFirstView },
    ...{ create: CreateTeamApiKey, listQuery: TeamApiKeysQuery, oneQuery: TeamApiKeysQuery },
  },
} as const;

const whose = {
  user: 'Client access has its own keys alone.',
  team: 'Client access needs `$manage_api_keys` in the team.',
};

const ownerIdOf = (named: { user_id: string } | { team_id: string }) =>
  'user_id' in named ? named.user_id : named.team_id;

/** Calls on keys of one kind of owner: the two differ in path and shapes alone (protocol, resources §7.2). */
export function apiKeyRoutes(ownerType: ApiKeyOwnerType) {
  const { view, firstView, create, listQuery, oneQuery } = schemas[ownerType];
  const path = `/${ownerType}-api-keys`;
  const onePath = `${path}/:api_key_id`;
  const tags = ['API keys'];
  const config = { replacesMe: true };

  const listRoute =
    (deps: Deps): FastifyPluginAsyncZod =>
    async (app) => {
      app.get(path, {
        config,
        schema: {
          tags,
          summary: `API keys of a ${ownerType}, newest first`,
          description: `Revoked and expired ones included; of each key the last four characters. ${whose[ownerType]}`,
          querystring: listQuery,
          response: { 200: ApiKeyList },
        },
        handler: async (request) => {
          const caller = callerOf(request);
          checkSwitch(caller, ownerType);
          const owner = { ownerType, ownerId: ownerIdOf(request.query) };
          await mayReadKeys(deps, caller, owner);
          const rows = await listApiKeys(deps.db, caller.projectId, owner);
          return { items: rows.map((row) => toKeyView(row, tailOf(row))), is_paginated: false as const };
        },
      });
    };

  const createRoute =
    (deps: Deps): FastifyPluginAsyncZod =>
    async (app) => {
      app.post(path, {
        config,
        schema: {
          tags,
          summary: `Create an API key of a ${ownerType}`,
          description: `The one time that the key is told whole. ${whose[ownerType]}`,
          body: create,
          response: { 200: firstView },
        },
        handler: async (request, reply) => {
          checkSwitch(callerOf(request), ownerType);
          const { body } = request;
          const { description, expires_at_millis, is_public } = body;
          const newKey = { description, expires_at_millis, is_public, ownerType, ownerId: ownerIdOf(body) };
          const { row, text } = await createKey(deps, request, reply, newKey);
          return toKeyView(row, text);
        },
      });
    };

  const getRoute =
    (deps: Deps): FastifyPluginAsyncZod =>
    async (app) => {
      app.get(onePath, {
        config,
        schema: {
          tags,
          summary: `An API key of a ${ownerType}`,
          description: whose[ownerType],
          params: ApiKeyParams,
          querystring: oneQuery,
          response: { 200: view },
        },
        handler: async (request) => {
          const caller = callerOf(request);
          checkSwitch(caller, ownerType);
          const row = await readKey(deps, caller, request.params.api_key_id, ownerType);
          return toKeyView(row, tailOf(row));
        },
      });
    };

  const updateRoute =
    (deps: Deps): FastifyPluginAsyncZod =>
    async (app) => {
      app.patch(onePath, {
        config,
        schema: {
          tags,
          summary: `Change or revoke an API key of a ${ownerType}`,
          description: `What is left out stays; revoking is for good. ${whose[ownerType]}`,
          params: ApiKeyParams,
          querystring: oneQuery,
          body: ApiKeyPatch,
          response: { 200: view },
        },
        handler: async (request, reply) => {
          checkSwitch(callerOf(request), ownerType);
          const input = { keyId: request.params.api_key_id, ownerType, patch: request.body };
          const row = await updateKey(deps, request, reply, input);
          return toKeyView(row, tailOf(row));
        },
      });
    };

  const checkRoute =
    (deps: Deps): FastifyPluginAsyncZod =>
    async (app) => {
      app.post(`${path}/check`, {
        schema: {
          tags,
          summary: `Whose an API key of a ${ownerType} is, if it is good`,
          description: 'For servers that were called with it.',
          body: GivenApiKey,
          response: { 200: view },
        },
        handler: async (request) => {
          const caller = callerOf(request);
          checkSwitch(caller, ownerType);
          const row = await checkKey(deps, caller, request.body.api_key, ownerType);
          return toKeyView(row, tailOf(row));
        },
      });
    };

  return [listRoute, createRoute, getRoute, updateRoute, checkRoute];
}
