import { createRequire } from 'node:module';

// Loaded with `require`, as the client does: a test runner that imports them would create a second copy of each class,
// which the client rejects.
const require = createRequire(import.meta.url);
const generated = '@eventstore/db-client/generated';

export const shared = require(
  `${generated}/shared_pb.js`,
) as typeof import('@eventstore/db-client/generated/shared_pb.js');
export const status = require(
  `${generated}/status_pb.js`,
) as typeof import('@eventstore/db-client/generated/status_pb.js');
export const streams = require(
  `${generated}/streams_pb.js`,
) as typeof import('@eventstore/db-client/generated/streams_pb.js');
export const gossip = require(
  `${generated}/gossip_pb.js`,
) as typeof import('@eventstore/db-client/generated/gossip_pb.js');
export const features = require(
  `${generated}/serverfeatures_pb.js`,
) as typeof import('@eventstore/db-client/generated/serverfeatures_pb.js');
export const any =
  require('google-protobuf/google/protobuf/any_pb.js') as typeof import('google-protobuf/google/protobuf/any_pb.js');
export const empty =
  require('google-protobuf/google/protobuf/empty_pb.js') as typeof import('google-protobuf/google/protobuf/empty_pb.js');

export const { StreamsService } = require(
  `${generated}/streams_grpc_pb.js`,
) as typeof import('@eventstore/db-client/generated/streams_grpc_pb.js');
export const { GossipService } = require(
  `${generated}/gossip_grpc_pb.js`,
) as typeof import('@eventstore/db-client/generated/gossip_grpc_pb.js');
export const { ServerFeaturesService } = require(
  `${generated}/serverfeatures_grpc_pb.js`,
) as typeof import('@eventstore/db-client/generated/serverfeatures_grpc_pb.js');
