"""The package's part of the gallery."""

from collections.abc import Sequence

import mulligan_search
import pytest
import tavily
import wikipedia
from mulligan_testkit.gallery import Gallery, GalleryFailure
from search_server import Serve
from test_search_wikipedia import ask, page  # noqa: F401


@pytest.mark.filterwarnings("ignore:No parser was explicitly specified")  # wikipedia leaves that to bs4
class TestGallery(Gallery):
    title = "Search and encyclopedias"
    plugin = mulligan_search
    packages = ("wikipedia", "tavily-python")

    @pytest.fixture
    def shown(self, serve: Serve, ask: object) -> Sequence[GalleryFailure]:  # noqa: F811
        titles = ("Mercury (planet)", "Mercury (element)")
        listed = "".join(f"<li><a title='{title}'>{title}</a></li>" for title in titles)
        several = {
            "query": {
                "pages": {"19": {"revisions": [{"*": f"<ul>{listed}</ul>"}], "pageprops": {"disambiguation": ""}}}
            }
        }

        def read(title: str, *bodies: object) -> object:
            ask(*bodies)
            return wikipedia.page(title, auto_suggest=False)

        def search(status: int, told: str) -> object:
            client = tavily.TavilyClient(api_key="x", api_base_url=serve({"detail": {"error": told}}, status=status))
            return client.search("coffee")

        query = {"query": "coffee"}
        first = page(pageprops={"disambiguation": ""})
        return [
            GalleryFailure(
                "Wikipedia: no such page", "read_article", {"title": "Zzz"}, lambda: read("Zzz", page(missing=""))
            ),
            GalleryFailure(
                "Wikipedia: a title of several pages",
                "read_article",
                {"title": "Mercury"},
                lambda: read("Mercury", first, several),
            ),
            GalleryFailure(
                "Tavily: a key that is refused",
                "search_web",
                query,
                lambda: search(401, "Unauthorized: invalid API key."),
            ),
            GalleryFailure(
                "Tavily: too many requests",
                "search_web",
                query,
                lambda: search(429, "Blocked due to excessive requests."),
            ),
            GalleryFailure(
                "Tavily: a plan that is used up",
                "search_web",
                query,
                lambda: search(432, "This exceeds your plan's limit."),
            ),
        ]
