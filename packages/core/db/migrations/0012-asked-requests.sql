-- What a model was asked when it decided, and what it answered, for a house's owner to read; emptied after thirty days. `asked` is json
-- and not jsonb: it is kept as it was sent, its order too.
alter table ledger add column asked json;
alter table ledger add column answered text;

-- Only rows that still hold a request are in it, so that looking for old ones costs nothing when there are none.
create index ledger_by_kept_request on ledger (started_at) where asked is not null;
