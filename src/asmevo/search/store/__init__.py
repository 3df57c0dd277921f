"""The run store: every attempt and every accepted object of a search.

`Store` is the contract, `SqliteStore` keeps a run in one file, `MemoryStore` for the time of the
process. `StoreReader` is what can be done beside a search that writes.
"""

from asmevo.search.store.contract import Entry, RunFacts, Store, StoreReader
from asmevo.search.store.memory import MemoryStore
from asmevo.search.store.schema import SCHEMA_VERSION
from asmevo.search.store.sqlite import SqliteReader, SqliteStore, StoreDamaged, StoreFull

__all__ = [
    "SCHEMA_VERSION",
    "Entry",
    "MemoryStore",
    "RunFacts",
    "SqliteReader",
    "SqliteStore",
    "Store",
    "StoreDamaged",
    "StoreFull",
    "StoreReader",
]
