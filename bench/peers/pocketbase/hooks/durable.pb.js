// PocketBase syncs its log only at checkpoints: what it acknowledges may be lost with the power.
// Here every commit is synced, as with ours. It writes through this one connection.
onBootstrap((e) => {
  e.next();
  e.app.nonconcurrentDB().newQuery("PRAGMA synchronous = FULL").execute();
});
