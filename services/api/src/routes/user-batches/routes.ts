import type { Route } from '../../http/define-route.ts';
import {
  cancelBatchRoute,
  getBatchRoute,
  listBatchesRoute,
  listBatchFailuresRoute,
  startBatchRoute,
} from './batches.ts';
import { previewBatchRoute } from './preview-batch.ts';
import { previewBatchUndoRoute, undoBatchRoute } from './undo-batch.ts';

export const userBatchRoutes: readonly Route[] = [
  listBatchesRoute,
  startBatchRoute,
  previewBatchRoute,
  getBatchRoute,
  listBatchFailuresRoute,
  cancelBatchRoute,
  undoBatchRoute,
  previewBatchUndoRoute,
];
