import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { Appended, Expected, KeptEvent, ProposedEvent } from './simulator-log.ts';
import { any, empty, shared, status, streams } from './simulator-protobuf.ts';

/** .NET counts time in steps of 100 ns. */
const ticksPerMs = 10_000n;
/** The position that servers before 22.6 report for an event read from its stream. */
const noPosition = String(2n ** 64n - 1n);

export function streamNameOf(identifier: StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
}

function identifierOf(stream: string): StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
}

function idOf(uuid: UUID | undefined): string {
  const parts = uuid?.getStructured();
  if (!parts) return uuid?.getString() ?? '';
  const bits = [parts.getMostSignificantBits(), parts.getLeastSignificantBits()];
  const hex = bits.map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function expectedOf(options: AppendReq.Options): Expected {
  if (options.hasNoStream()) return 'no stream';
  if (options.hasStreamExists()) return 'stream exists';
  return options.hasAny() ? 'any' : BigInt(options.getRevision());
}

export function batchExpectedOf(options: BatchAppendReq.Options): Expected {
  if (options.hasNoStream()) return 'no stream';
  if (options.hasStreamExists()) return 'stream exists';
  return options.hasAny() ? 'any' : BigInt(options.getStreamPosition());
}

export function proposedOf(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): ProposedEvent {
  const facts = message.getMetadataMap();
  return {
    id: idOf(message.getId()),
    type: facts.get('type') ?? '',
    contentType: facts.get('content-type') ?? '',
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  };
}

export function appendAnswer(expected: Expected, appended: Appended): AppendResp {
  if (appended.outcome === 'wrong version') {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (appended.current === null) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(String(appended.current));
    if (typeof expected === 'bigint') wrong.setExpectedRevision(String(expected));
    else if (expected === 'no stream') wrong.setExpectedNoStream(new shared.Empty());
    else if (expected === 'stream exists') wrong.setExpectedStreamExists(new shared.Empty());
    else wrong.setExpectedAny(new shared.Empty());
    return new streams.AppendResp().setWrongExpectedVersion(wrong);
  }
  const success = new streams.AppendResp.Success().setCurrentRevision(String(appended.revision));
  if (appended.outcome === 'repeated') success.setNoPosition(new shared.Empty());
  else {
    const place = String(appended.position);
    success.setPosition(new streams.AppendResp.Position().setCommitPosition(place).setPreparePosition(place));
  }
  return new streams.AppendResp().setSuccess(success);
}

export function batchAnswer(first: BatchAppendReq, expected: Expected, appended: Appended): BatchAppendResp {
  const answer = new streams.BatchAppendResp()
    .setCorrelationId(first.getCorrelationId())
    .setStreamIdentifier(first.getOptions()?.getStreamIdentifier());
  if (appended.outcome === 'wrong version') {
    const wrong = new shared.WrongExpectedVersion();
    if (appended.current === null) wrong.setCurrentNoStream(new empty.Empty());
    else wrong.setCurrentStreamRevision(String(appended.current));
    if (typeof expected === 'bigint') wrong.setExpectedStreamPosition(String(expected));
    else if (expected === 'no stream') wrong.setExpectedNoStream(new empty.Empty());
    const details = new any.Any();
    details.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion');
    return answer.setError(new status.Status().setMessage('wrong expected version').setDetails(details));
  }
  const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(appended.revision));
  if (appended.outcome === 'repeated') success.setNoPosition(new empty.Empty());
  else {
    const place = String(appended.position);
    success.setPosition(new shared.AllStreamPosition().setCommitPosition(place).setPreparePosition(place));
  }
  return answer.setSuccess(success);
}

export function eventAnswer(event: KeptEvent, { tellsPosition }: { tellsPosition: boolean }): ReadResp {
  const place = tellsPosition ? String(event.position) : noPosition;
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(identifierOf(event.stream))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(place)
    .setPreparePosition(place)
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  const facts = recorded.getMetadataMap();
  facts.set('type', event.type);
  facts.set('content-type', event.contentType);
  facts.set('created', String(BigInt(event.createdAt) * ticksPerMs));
  const read = new streams.ReadResp.ReadEvent().setEvent(recorded);
  if (tellsPosition) read.setCommitPosition(place);
  else read.setNoPosition(new shared.Empty());
  return new streams.ReadResp().setEvent(read);
}

export function notFoundAnswer(stream: string): ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(stream));
  return new streams.ReadResp().setStreamNotFound(notFound);
}

export function confirmationAnswer(subscriptionId: string): ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(subscriptionId);
  return new streams.ReadResp().setConfirmation(confirmation);
}

export function caughtUpAnswer(): ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
}

export function checkpointAnswer(position: bigint): ReadResp {
  const place = String(position);
  const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition(place).setPreparePosition(place);
  return new streams.ReadResp().setCheckpoint(checkpoint);
}

/** The events that a filter lets through: by stream or type, by prefix or pattern. */
export function filterOf(options: ReadReq.Options): (event: KeptEvent) => boolean {
  const filter = options.getFilter();
  const [byStream, byType] = [filter?.getStreamIdentifier(), filter?.getEventType()];
  const expression = byStream ?? byType;
  if (!expression) return () => true;
  const nameOf = (event: KeptEvent) => (byStream ? event.stream : event.type);
  const prefixes = expression.getPrefixList();
  if (prefixes.length > 0) return (event) => prefixes.some((prefix) => nameOf(event).startsWith(prefix));
  const pattern = new RegExp(expression.getRegex());
  return (event) => pattern.test(nameOf(event));
}
