# docker build -t sitecrawl .                     the crawler
# docker build -t sitecrawl:browser --target browser .   with Chromium, for sites that scripts draw
FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir --prefix /install -c constraints.txt '.[cluster,parquet]'

FROM python:3.12-slim AS base
COPY --from=build /install /usr/local
RUN useradd --create-home --uid 1000 crawl && mkdir /data /report && chown crawl /data /report
USER crawl
WORKDIR /data
VOLUME /data
ENTRYPOINT ["sitecrawl"]
CMD ["--help"]

FROM base AS browser
USER root
COPY constraints.txt pyproject.toml README.md LICENSE /src/
RUN apt-get update && apt-get install -y --no-install-recommends chromium && rm -rf /var/lib/apt/lists/* \
    && pip install --no-cache-dir -c /src/constraints.txt scrapy-playwright && rm -rf /src
USER crawl

FROM base
